// The part of .gitignore that trees really use: names, folders, anchors, *, ?, **, [sets] and !.
// Patterns are matched by walking, never as regular expressions: a hostile pattern cannot stall the walk.

/** Rules of one .gitignore; `base` is the folder it lies in ('' or 'a/b/'). */
export function parseIgnore(text, base) {
  const rules = []
  for (const raw of text.split('\n').slice(0, 2000)) {
    const line = raw.replace(/\r$/, '').replace(/(?<!\\) +$/, '')
    if (line === '' || line.startsWith('#') || line.length > 500) continue
    rules.push(rule(line, base))
  }
  return rules
}

function rule(line, base) {
  const keep = line.startsWith('!')
  const body = keep ? line.slice(1) : line
  const onlyFolders = body.endsWith('/')
  const trimmed = onlyFolders ? body.slice(0, -1) : body
  const anchored = trimmed.includes('/')
  const parts = trimmed.replace(/^\//, '').split('/')
  return { keep, onlyFolders, base, parts: anchored ? parts : ['**', ...parts] }
}

/** The last rule that matches decides, as in git. */
export function isIgnored(rules, path, isFolder) {
  for (let i = rules.length - 1; i >= 0; i--) {
    const { keep, onlyFolders, base, parts } = rules[i]
    if (onlyFolders && !isFolder) continue
    if (!path.startsWith(base)) continue
    if (matchParts(parts, path.slice(base.length).split('/'))) return !keep
  }
  return false
}

function matchParts(parts, names) {
  let reach = new Set([0])
  for (const part of parts) {
    const next = new Set()
    for (const at of reach) {
      if (part === '**') for (let i = at; i <= names.length; i++) next.add(i)
      else if (at < names.length && matchName(part, names[at])) next.add(at + 1)
    }
    reach = next
  }
  return reach.has(names.length)
}

/** One name against one pattern with * ? [set]; remembers only the last star, so it is quadratic at worst. */
function matchName(pattern, name) {
  const tokens = tokenize(pattern)
  let p = 0
  let n = 0
  let star = -1
  let mark = 0
  while (n < name.length) {
    if (p < tokens.length && tokens[p] === '*') {
      star = p++
      mark = n
    } else if (p < tokens.length && matchOne(tokens[p], name[n])) {
      p++
      n++
    } else if (star >= 0) {
      p = star + 1
      n = ++mark
    } else return false
  }
  while (tokens[p] === '*') p++
  return p === tokens.length
}

const known = new Map()

function tokenize(pattern) {
  let tokens = known.get(pattern)
  if (!tokens) known.set(pattern, (tokens = pattern.match(/\\.|\[[!^]?\]?[^\]]*\]|[^]/g) ?? []))
  return tokens
}

function matchOne(token, char) {
  if (token === '?') return true
  if (token.length > 1 && token.startsWith('\\')) return token[1] === char
  if (token.length > 2 && token.startsWith('[')) return matchSet(token.slice(1, -1), char)
  return token === char
}

function matchSet(set, char) {
  const not = /^[!^]/.test(set)
  const body = not ? set.slice(1) : set
  let found = false
  for (let i = 0; i < body.length; i++) {
    if (body[i + 1] === '-' && i + 2 < body.length) {
      found ||= body[i] <= char && char <= body[i + 2]
      i += 2
    } else found ||= body[i] === char
  }
  return found !== not
}
