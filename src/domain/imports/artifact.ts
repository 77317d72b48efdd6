/* An entry of an artifact registry: where something lies that was made. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { isMembers, lineOf, membersOf, stemOf, textOf } from './members.ts'

export const artifactEntry: Importer = {
  kind: 'artifact-entry',
  summary: 'an entry of an artifact registry: artifact_id, artifact_type, artifact_path',
  detects: ({ value }) =>
    isMembers(value) && ['artifact_id', 'artifact_type', 'artifact_path'].every((each) => textOf(value[each])),
  read: ({ value, path }) => {
    const { artifact_id, artifact_type, artifact_path, created_at, metadata } = membersOf(value)
    const id = textOf(artifact_id) ?? stemOf(path)
    const entry = { path: artifact_path, type: artifact_type, created_at, metadata }
    const name = `artifact.${lineOf(id, 200).replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}`
    return {
      group: id,
      rows: [{ what: 'artifact', count: 1, becomes: `an output: path, type and time` }],
      problems: ['the file it names is not looked at'],
      requests: [{ op: 'output.set', input: { name, value: JSON.stringify(entry) } }],
    }
  },
}
