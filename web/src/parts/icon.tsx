/** Line drawings of 16 by 16. They always stand beside a word, and say nothing to screen readers. */
const PATHS = {
  alert: 'M8 2 14.5 13.5H1.5ZM8 6.5v3.2M8 11.6v.2',
  ask: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12v.2M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13',
  gate: 'M2.5 14V4M13.5 14V4M2.5 6h11M2.5 10h11',
  lost: 'M2.5 8h3l1.5-4 2 8 1.5-4h3',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  half: 'M8 1.8a6.2 6.2 0 1 0 0 12.4ZM8 1.8a6.2 6.2 0 0 1 0 12.4',
  loop: 'M3 8a5 5 0 0 1 9-3M13 8a5 5 0 0 1-9 3M12 2v3H9M4 14v-3h3',
  block: 'M8 1.8a6.2 6.2 0 1 0 0 12.4 6.2 6.2 0 0 0 0-12.4ZM3.8 12.2l8.4-8.4',
  stop: 'M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2Z',
  fail: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.5V8l2.5 1.5',
  mail: 'M2 4h12v8.5H2ZM2 4.5l6 4.5 6-4.5',
  play: 'M5 3l8 5-8 5Z',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  idle: 'M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7',
  lock: 'M4 7.5h8v6H4ZM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  fork: 'M4.5 2v12M4.5 9c4 0 7-1 7-4.5M11.5 2v2.5',
  copy: 'M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  up: 'M3.5 10 8 5.5 12.5 10',
  back: 'M8 3 3 8l5 5M3 8h10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14',
  pulse: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13',
  away: 'M2 2l12 12M8 5.5a6 6 0 0 1 5.5 2M4.5 7a6 6 0 0 0-2 .8M8 12v.2',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  hand: 'M2 8h9M8 4.5 11.5 8 8 11.5M14 3v10',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
)
