/*
 * Typed calls made from the operations: `session.state.set({ path, value })` is `session.run('state.set', …)`.
 */
import type { Session } from '../session.ts'
import type { Answer, RunOptions } from './answer.ts'
import type { Operation, Typed } from './operation.ts'

type Named = Operation & Typed<string, unknown>
type Verb<Name extends string, Noun extends string> = Name extends `${Noun}.${infer Rest}` ? Rest : never
type InputOf<Each> = Each extends Typed<string, infer Input> ? Input : never
type ValueOf<Each> = Each extends Typed<string, unknown, infer Value> ? Value : never

/** One method for each operation of a noun, in camel case where its name has hyphens. */
export type NounCalls<Noun extends string, Each extends Named> = {
  readonly [Name in Each['name'] as Camel<Verb<Name, Noun>>]: (
    ...asked: Asked<InputOf<Extract<Each, { readonly name: Name }>>>
  ) => Promise<Answer<ValueOf<Extract<Each, { readonly name: Name }>>>>
}

/** Where nothing has to be said, the input may be left out. */
type Asked<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: RunOptions] : [input: Input, options?: RunOptions]

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text

/** Adds an object of calls for each noun. Nothing is loaded before a call is made. */
export function withCalls<Calls extends object>(session: Session, nouns: readonly string[]): Session & Calls {
  for (const noun of nouns) Object.defineProperty(session, noun, { value: callsOf(session, noun), enumerable: true })
  // A property for each noun has just been added; `Calls` names the same nouns.
  return session as Session & Calls
}

function callsOf(session: Session, noun: string): object {
  return new Proxy(Object.freeze({}), {
    get: (target, verb) => {
      // What JavaScript itself asks of a value, to await it, print it or write it as JSON, is no operation.
      if (typeof verb !== 'string' || verb in target || verb === 'then' || verb === 'toJSON')
        return Reflect.get(target, verb) as unknown
      const name = `${noun}.${verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
      return (input?: unknown, options?: RunOptions) => session.run(name, input, options)
    },
  })
}
