/** The page where none is built: it takes the link of `steadfold ui` and lists the sessions. Everything is set as text. */
export const PLAIN_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Steadfold</title>
<link rel="stylesheet" href="/plain.css">
<script src="/plain.js" defer></script>
</head>
<body>
<main>
<h1>Steadfold</h1>
<p id="said" role="status">Loading…</p>
<table id="sessions" hidden>
<caption>Sessions</caption>
<thead><tr><th>name</th><th>status</th><th>seq</th><th>updated</th></tr></thead>
<tbody></tbody>
</table>
</main>
</body>
</html>
`

export const PLAIN_SCRIPT = `const said = document.getElementById('said')

async function enter() {
  const word = new URLSearchParams(location.hash.slice(1)).get('token')
  if (word === null) return
  const answer = await fetch('/v1/login', {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: word }),
  })
  history.replaceState(null, '', location.pathname + location.search)
  if (!answer.ok) throw new Error((await answer.json()).error.message)
}

async function show() {
  const answer = await fetch('/v1/sessions')
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.error.message + '; ' + body.error.hint)
  const table = document.getElementById('sessions')
  for (const { name, status, seq, updated_at } of body.data) {
    const row = table.tBodies[0].insertRow()
    for (const value of [name, status, seq, updated_at]) row.insertCell().textContent = String(value)
  }
  table.hidden = false
  said.textContent = body.data.length === 0 ? 'There is no session yet: steadfold session create NAME' : ''
}

enter()
  .then(show)
  .catch((error) => {
    said.textContent = error.message
  })
`

export const PLAIN_STYLE = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; padding: 0.3rem 1rem 0.3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
`
