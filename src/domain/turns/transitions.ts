/*
 * The transition table of an agent in a channel. What the module does is held against it by the property tests, and the
 * table of docs/explanation/turns.md is made from it.
 */
import type { SeatState } from './events.ts'

/** From a state to another: what brings it about. What is not here does not happen. */
export const TRANSITIONS: Readonly<Record<SeatState, Readonly<Partial<Record<SeatState, string>>>>> = {
  OFFLINE: {
    IDLE: 'joins again or asks for its turn, and nobody has the turn',
    QUEUED: 'joins again or asks for its turn, while somebody has the turn',
  },
  IDLE: {
    OFFLINE: 'leaves and keeps its place, or is found lost',
    QUEUED: 'another gets the turn',
    ACTIVE: '`turn start`, `turn take`, or the message of another',
  },
  QUEUED: {
    OFFLINE: 'leaves and keeps its place, or is found lost',
    IDLE: 'the turn ends and nobody follows',
    ACTIVE: 'its turn comes, or it takes the turn',
  },
  ACTIVE: {
    OFFLINE: 'leaves and keeps its place (removed), or is found lost (recovery)',
    IDLE: 'its turn ends and nobody follows',
    QUEUED: 'its turn ends: complete, timeout or interrupt',
    WAITING: 'a person interrupts or pauses, or the guard stops the channel',
  },
  WAITING: {
    OFFLINE: 'leaves and keeps its place (removed), or is found lost (recovery)',
    IDLE: 'its turn ends and nobody follows',
    QUEUED: 'its turn ends',
    ACTIVE: '`turn resume`, the signal of the person, or the interruption is over',
  },
}
