/*
 * The row of a session, with which it is there. It ends where the lines end that the tables have of it: none, or what somebody
 * landed who was killed before this row was made. Nobody but their owner could take those away, and no other line gets behind
 * a shorter end.
 */
export const SEAL = '{"type":"log.sealed","data":{}}]'
/** Bytes of a line behind its events: `,"prev":"…","hash":"…"}` and a newline. */
const BEHIND_EVENTS = 150

export const BEGIN = `insert into steadfold.sessions (namespace, session, seq, hash, segment, ends)
select $1, $2, coalesce(seq, 0), coalesce(hash, repeat('0', 64)),
  case when sealed then seq + 1 else coalesce(segment, 1) end, case when sealed then 0 else coalesce(ends, 0) end
from (values (1)) as one left join lateral (
  select seq, segment, starts + length(line) as ends,
    convert_from(substring(line from length(line) - 66 for 64), 'UTF8') as hash,
    substring(line from length(line) - ${BEHIND_EVENTS + SEAL.length - 1} for ${SEAL.length}) = '${SEAL}'::bytea as sealed
  from steadfold.commits where namespace = $1 and session = $2 order by seq desc limit 1
) as last on true
on conflict do nothing returning session`
