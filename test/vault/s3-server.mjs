/*
 * A small S3: one bucket in memory, path style. It checks signatures of version 4, honours If-None-Match on PUT, and lists in
 * pages of three. `--unconditional` ignores conditions, as some stores do. Prints its address, then a line per request.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'

const [KEY, SECRET, BUCKET, PAGE] = ['tester', 'a secret of tests', 'bucket', 3]
const conditional = !process.argv.includes('--unconditional')
const objects = new Map()
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key, text) => createHmac('sha256', key).update(text).digest()
const encoded = (text) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** What the request should have been signed with, from its own parts. */
function isSigned({ method, headers }, url, body) {
  const found = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, *SignedHeaders=([^,]+), *Signature=(\w+)/.exec(
    headers.authorization ?? '',
  )
  if (found === null || found[1] !== KEY) return false
  const [, , day, region, names, signature] = found
  const claimed = headers['x-amz-content-sha256'] ?? sha256(body)
  if (claimed !== 'UNSIGNED-PAYLOAD' && claimed !== sha256(body)) return false
  if (!names.split(';').includes('host')) return false
  const query = [...url.searchParams]
    .map(([k, v]) => `${encoded(k)}=${encoded(v)}`)
    .sort()
    .join('&')
  const lines = names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`)
  const path = url.pathname
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/')
  const request = [method, path, query, lines.join(''), names, claimed].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce(hmac, `AWS4${SECRET}`)
  return hmac(key, text).toString('hex') === signature
}

const xml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const fault = (status, code) => [status, `<Error><Code>${code}</Code></Error>`]

function list(params) {
  const from = params.get('continuation-token') ?? params.get('start-after') ?? ''
  const names = [...objects.keys()].filter((name) => name.startsWith(params.get('prefix') ?? '') && name > from).sort()
  const page = names.slice(0, PAGE)
  const more = names.length > PAGE
  const next = more ? `<NextContinuationToken>${xml(page.at(-1))}</NextContinuationToken>` : ''
  const contents = page.map((name) => `<Contents><Key>${xml(name)}</Key></Contents>`).join('')
  return [200, `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents}</ListBucketResult>`]
}

function answer(request, url, body) {
  if (!isSigned(request, url, body)) return fault(403, 'SignatureDoesNotMatch')
  const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
  const name = rest.join('/')
  if (bucket !== BUCKET) return fault(404, 'NoSuchBucket')
  if (request.method === 'GET' && name === '') return list(url.searchParams)
  if (request.method === 'GET') return objects.has(name) ? [200, objects.get(name)] : fault(404, 'NoSuchKey')
  if (request.method !== 'PUT') return fault(405, 'MethodNotAllowed')
  const refused = conditional && request.headers['if-none-match'] === '*' && objects.has(name)
  if (refused) return fault(412, 'PreconditionFailed')
  objects.set(name, body)
  return [200, '']
}

const server = createServer((request, response) => void reply(request, response))

async function reply(request, response) {
  const parts = []
  for await (const part of request) parts.push(part)
  const url = new URL(request.url, 'http://localhost')
  const [status, text] = answer(request, url, Buffer.concat(parts))
  process.stdout.write(`${request.method} ${url.pathname} ${status}\n`)
  response.writeHead(status).end(text)
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
