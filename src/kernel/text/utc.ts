/** A time that names no zone is one of UTC, on whatever machine it is read: Date.parse would take it for one of that machine. */
export const inUtc = (time: string): string => (/^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(time) ? `${time}Z` : time)
