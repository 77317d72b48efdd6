import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Draft } from '../../src/state-schema.ts'

const OPTIONS = { allErrors: true, strict: true, allowUnionTypes: true, strictTuples: false }

export type Validate = (document: unknown) => readonly string[]

/** What is wrong with a document, in words; formats are checked. Throws where the schema itself is wrong. */
export function validator(schema: Readonly<Record<string, unknown>>, draft: Draft = '2020-12'): Validate {
  const ajv = draft === 'draft-07' ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)
  formats.default(ajv)
  const check = ajv.compile(schema)
  return (document) => (check(document) ? [] : said(check))
}

const said = ({ errors }: ValidateFunction): readonly string[] =>
  (errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  )
