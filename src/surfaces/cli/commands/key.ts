/** Keys of this person here, and the people they know. */
import { EngineError } from '../../../kernel/error.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { listOf, needed } from '../context/input.ts'
import type { Card } from '../context/vault.ts'
import { columns } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

const cardText = ({ name, recipient, signer }: Card): string =>
  ['steadfold-key', name, ...(recipient === null ? [] : [recipient]), signer].join(' ')

/** Secrets stay where they are. */
const told = ({ name, recipient, signer }: Card) => ({ name, recipient, signer })

const create: Command<App> = {
  name: 'key create',
  summary: 'make a key: it opens what is sealed for you, and signs what you pack',
  notes:
    'Secrets lie in ~/.config/steadfold/keys (STEADFOLD_HOME), readable by you alone. The line that is printed is the card: others say it to key trust.',
  examples: ['key create laptop'],
  parameters: [{ name: 'NAME', field: 'name', type: 'text', required: true, summary: 'a name for it, new here' }],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const card = told(await (await context.app.vault()).keys.create(needed(input, 'name')))
    return {
      data: { ...card, card: cardText(card) },
      text: () =>
        `${cardText(card)}\n${context.paint.dim('next, on the other machine: steadfold key trust, and that line')}`,
    }
  },
}

const list: Command<App> = {
  name: 'key list',
  summary: 'your keys, and whom you know',
  examples: ['key list', 'key list --json'],
  parameters: [],
  flags: [],
  shares: [],
  run: async (context) => {
    const { keys } = await context.app.vault()
    const [own, known] = [keys.own().map(told), keys.known().map(told)]
    return { data: { own, known }, text: () => listText(context, own, known) }
  },
}

function listText({ paint, io }: Context, own: readonly Card[], known: readonly Card[]): string {
  if (own.length + known.length === 0) return 'no keys; make one with: steadfold key create NAME'
  const rows = [...own.map((card) => ['own', cardText(card)]), ...known.map((card) => ['known', cardText(card)])]
  // Cards are copied from here: they are not cut.
  return columns(rows, { width: Math.max(io.width, 400) })
    .map((line) => line.replace(/^\S+/, (word) => paint.dim(word)))
    .join('\n')
}

const trust: Command<App> = {
  name: 'key trust',
  summary: 'say to know somebody by the card of their key',
  examples: ['key trust "steadfold-key desk age1… ed25519:…"', 'key trust desk ed25519:…'],
  parameters: [
    {
      name: 'CARD',
      field: 'card',
      type: 'text',
      required: true,
      rest: true,
      summary: 'as key create or key list printed it; or a name and the parts that are known',
    },
  ],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const card = (await context.app.vault()).keys.trust(parsed(listOf(input, 'card')))
    return { data: told(card), text: `${card.name} is known` }
  },
}

function parsed(words: readonly string[]): Card {
  const parts = words.flatMap((word) => word.trim().split(/\s+/)).filter((word) => word !== 'steadfold-key')
  const signer = parts.find((part) => part.startsWith('ed25519:'))
  const recipient = parts.find((part) => part.startsWith('age1')) ?? null
  const name = parts.find((part) => part !== signer && part !== recipient)
  if (signer !== undefined && name !== undefined) return { name, recipient, signer }
  throw new EngineError('INPUT_INVALID', 'that is no card of a key: it names a signer and a name at least', {
    hint: 'steadfold key list prints it on the other machine: steadfold-key NAME age1… ed25519:…',
  })
}

export const keyCommands: readonly Command<App>[] = [create, list, trust]
