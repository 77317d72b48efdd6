/* One group of promises in a process of its own: run-group.mjs FILE OPTIONS, answers by message. */
const [file, options] = process.argv.slice(2)

async function measured() {
  const { run } = await import(file)
  const rows = await run({ ...JSON.parse(options), say: (text) => console.error(`  ${text}`) })
  return { rows }
}

const answer = await measured().catch((failure) => ({ error: String(failure.stack ?? failure) }))
// Peers keep sockets and timers open; what was measured is here, so the process ends.
if (process.send !== undefined) process.send(answer, () => process.exit(0))
else {
  console.log(JSON.stringify(answer, null, 2))
  process.exit(0)
}
