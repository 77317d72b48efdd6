import { expect, test } from 'vitest'
import { kept } from './kept.ts'

const given = { dir: '/w x', session: 'b' }
const both = "--dir '/w x' --session b"

test.each([
  [
    'steadfold task done t-1, or steadfold task list',
    `steadfold task done ${both} t-1, or steadfold task list ${both}`,
  ],
  ['look: steadfold log says why', `look: steadfold log ${both} says why`],
  ['steadfold run; only what failed runs again', `steadfold run ${both}; only what failed runs again`],
  ['steadfold session show says who owns it', `steadfold session show ${both} says who owns it`],
  ['steadfold session extend 8 goes on', `steadfold session extend ${both} 8 goes on`],
])('K0: %s is told for what was given', (text, told) => {
  expect(kept(text, given)).toBe(told)
  expect(kept(text, { dir: undefined, session: undefined })).toBe(text)
})

test.each([
  ['steadfold init --dir /other', 'steadfold init --dir /other'],
  [
    'steadfold verify --deep --session c; steadfold repair c',
    "steadfold verify --dir '/w x' --deep --session c; steadfold repair --dir '/w x' c",
  ],
  ['steadfold session resume c', "steadfold session resume --dir '/w x' c"],
  ['steadfold session create NAME', "steadfold session create --dir '/w x' NAME"],
])('K1: %s keeps what it names itself', (text, told) => {
  expect(kept(text, given)).toBe(told)
})

test.each([
  'steadfold state set --help',
  'steadfold --help',
  'over there: steadfold teleport send --remote NAME',
  'nothing is there yet: steadfold push SESSION, over there',
  'steadfold key list shows it on the other machine',
  'open it with the newer steadfold that wrote it',
])('K3: %s is told as it is', (text) => {
  expect(kept(text, given)).toBe(text)
})

test.each([
  ['steadfold lock acquire db --wait 1m waits', 'steadfold lock acquire --as agent:b db --wait 1m waits'],
  ['steadfold lock acquire db --as agent:c', 'steadfold lock acquire db --as agent:c'],
  ['steadfold lock list', 'steadfold lock list'],
  ['a person does: steadfold lock acquire db', 'a person does: steadfold lock acquire db'],
  ['steadfold lock acquire db, by a person', 'steadfold lock acquire db, by a person'],
])('K2: %s is asked for by the same actor', (text, told) => {
  expect(kept(text, { dir: undefined, session: undefined, command: 'lock acquire', as: 'agent:b' })).toBe(told)
})

test('a password is not told', () => {
  expect(kept('steadfold status', { dir: 'postgres://o:p@s@h/db?namespace=n', session: undefined })).toBe(
    "steadfold status --dir 'postgres://o@h/db?namespace=n'",
  )
  expect(kept('steadfold status', { dir: 'postgres://o@h/db?password=ss&a=1', session: undefined })).toBe(
    "steadfold status --dir 'postgres://o@h/db?a=1'",
  )
})
