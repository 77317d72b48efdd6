/*
 * What a secret looks like.
 *
 * D1. A rule names a shape that nothing else has: a prefix that its issuer gave it, or an armour. Hashes, uuids and other
 *     text that only looks random are no secrets.
 * D2. `hint` matches wherever the pattern does, and ends in one character that is rare in prose: the quick look at every
 *     line (redact.ts) goes from one such character to the next.
 * D3. What is put in place of a secret is found by no rule.
 */
export interface Rule {
  readonly id: string
  /** The secret is the whole match, or its group `secret`. */
  readonly pattern: string
  /** What stands before that character, and the character; absent in a rule of the settings. */
  readonly hint?: readonly [before: string, end: string]
  /** What must be so where it begins. */
  readonly behind?: string
}

/** Where one stands in a text. */
export interface Finding {
  readonly rule: string
  readonly start: number
  readonly end: number
}

/** What ends in a letter and is no word: an escape, of which lines and transcripts are full, one in an address, a colour. */
const ESCAPE =
  '\\\\[bfnrt]|\\\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|(?:\\x1b|\\\\u001[bB]|\\\\x1[bB]|\\\\033)\\[[0-9;]{0,20}[mK]'
/** A word begins, also behind an escape. */
const BEGIN = `\\b|(?<=${ESCAPE})`
/** Not within a word, of which `task-1` is everywhere. */
const SK = `(?:(?<!\\w)|${ESCAPE})sk`

/** Of a private key whose end is not there: its headers and its lines, and no text that only speaks of one. */
const CUT_OFF =
  '(?:(?:\\W|\\\\[nrt]){1,6}[A-Z][A-Za-z-]{3,20}: [^\\n\\\\]{1,80}){0,6}(?:[^\\w/=+]{1,20}[A-Za-z0-9+/=]{16,})*' +
  '(?:[^\\w/=+]{1,20}[A-Za-z0-9+/=]+(?=\\W{0,20}(?:-----|$)))?'

const TOKENS: readonly (readonly [id: string, pattern: string, before: string, end: string])[] = [
  ['github-token', '\\bgh[pousr]_[A-Za-z0-9]{36,255}\\b', 'gh[pousr]', '_'],
  ['github-token', '\\bgithub_pat_\\w{22,255}\\b', 'github_pat', '_'],
  ['gitlab-token', '\\bgl(?:pat|dt|rt|ptt|ft|soat|cbt)-[\\w-]{20,}', 'gl(?:pat|dt|rt|ptt|ft|soat|cbt)', '-'],
  ['slack-token', '\\bxox[abeoprs]-[A-Za-z0-9-]{10,}', 'xox[abeoprs]', '-'],
  ['slack-token', '\\bxapp-\\d-[A-Za-z0-9-]{20,}', 'xapp', '-'],
  ['slack-webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/-]{20,}', 'hooks\\.slack', '\\.'],
  ['anthropic-key', '\\bsk-ant-[\\w-]{20,}', SK, '-'],
  ['openai-key', '\\bsk-(?:proj|svcacct|admin|None)-[\\w-]{20,}', SK, '-'],
  ['openai-key', '\\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\\b', SK, '-'],
  ['secret-key', '\\bsk-(?:or-v1-[a-f0-9]{64}|[A-Za-z0-9]{48}|lf-[a-f0-9-]{36}|[a-f0-9]{32})\\b', SK, '-'],
  ['stripe-key', '\\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}', 'k_(?:live|test)', '_'],
  ['stripe-key', '\\bwhsec_[A-Za-z0-9+/]{24,}', 'whsec', '_'],
  ['npm-token', '\\bnpm_[A-Za-z0-9]{36}\\b', 'npm', '_'],
  ['pypi-token', '\\bpypi-AgE[\\w-]{50,}', 'pypi', '-'],
  ['huggingface-token', '\\bhf_[A-Za-z]{34}\\b', 'hf', '_'],
  ['google-key', '\\bAIza[\\w-]{35}(?![\\w-])', 'AI', 'z'],
  ['google-oauth', '\\bya29\\.[\\w-]{20,}', 'ya29', '\\.'],
  ['google-oauth', '\\bGOCSPX-[\\w-]{28}(?![\\w-])', 'GOCSPX', '-'],
  ['sendgrid-key', '\\bSG\\.[\\w-]{16,32}\\.[\\w-]{16,64}', 'SG', '\\.'],
  ['vault-token', '\\bhv[sb]\\.[\\w-]{24,}', 'hv[sb]', '\\.'],
  ['doppler-token', '\\bdp\\.(?:pt|st|sa|ct|scim|audit)\\.(?:[\\w-]+\\.)?[A-Za-z0-9]{40,44}\\b', 'dp', '\\.'],
  ['digitalocean-token', '\\bdo[opr]_v1_[a-f0-9]{64}\\b', 'do[opr]_v1', '_'],
  ['shopify-token', '\\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\\b', 'shp(?:at|ca|pa|ss)', '_'],
  ['linear-key', '\\blin_(?:api|oauth)_[A-Za-z0-9]{40,64}\\b', 'lin', '_'],
  ['notion-token', '\\bntn_[A-Za-z0-9]{40,}', 'ntn', '_'],
  ['docker-token', '\\bdckr_[op]at_[\\w-]{27,}', 'dckr', '_'],
  ['groq-key', '\\bgsk_[A-Za-z0-9]{48,56}\\b', 'gsk', '_'],
  ['perplexity-key', '\\bpplx-[A-Za-z0-9]{40,}', 'pplx', '-'],
  ['xai-key', '\\bxai-[A-Za-z0-9]{70,}', 'xai', '-'],
  ['replicate-token', '\\br8_[A-Za-z0-9]{37}\\b', 'r8', '_'],
  ['supabase-token', '\\bsb(?:p_[a-f0-9]{40}|_secret_[\\w-]{20,})', 'sb(?:p|_secret)', '_'],
  ['planetscale-token', '\\bpscale_(?:tkn|pw|oauth)_[\\w.=-]{32,}', 'pscale', '_'],
  ['atlassian-token', '\\bATATT3[\\w=-]{60,}', 'ATAT', 'T'],
  ['azure-key', '\\b(?:Account|SharedAccess)Key=(?<secret>[A-Za-z0-9+/]{43,86}={1,2})', 'Key', '='],
  ['telegram-token', '\\b\\d{8,10}:AA[\\w-]{33}(?![\\w-])', ':A', 'A'],
  ['aws-key-id', '\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\\b', 'A(?:KI|SI|BI|CC)', 'A'],
  ['aws-session-token', '\\bIQoJb3JpZ2luX2Vj[A-Za-z0-9+/]{60,}={0,2}', 'IQo', 'J'],
  ['aws-session-token', '\\bF[wQ]oGZXIvYXdz[A-Za-z0-9+/]{60,}={0,2}', 'F[wQ]oGZXIvYXd', 'z'],
  ['jwt', '\\beyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{10,}', 'ey', 'J'],
  ['age-key', '\\bAGE-SECRET-KEY-1[0-9A-Z]{58}\\b', 'AGE', '-'],
  ['nostr-key', '\\bnsec1[02-9ac-hj-np-z]{58}\\b', 'nsec', '1'],
  [
    'private-key',
    `-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[^])*-----END [A-Z0-9 ]{0,40}-----|${CUT_OFF})`,
    '--BEGI',
    'N',
  ],
  [
    'url-password',
    '(?<!\\w)[a-z][a-z0-9+.-]{1,20}://[^\\s/:@"\'<>]{0,100}:(?<secret>[^\\s/:@"\'<>${}*]{3,200})@',
    ':[^\\s/:@]{3,200}',
    '@',
  ],
  [
    'authorization',
    '\\b[Aa]uthorization["\']?\\s?[:=]\\s?["\']?(?:[Bb]earer|[Bb]asic|[Tt]oken)\\s+(?<secret>[\\w.~+/=-]{16,})',
    // A colon is in every member of an object.
    'thori',
    'z(?=ation["\'\\\\]*\\s?[:=])',
  ],
]

/** Where a word begins is asked of what was found: asked first, it would be asked of every character. */
export const RULES: readonly Rule[] = TOKENS.map(([id, pattern, ...hint]) =>
  pattern.startsWith('\\b') ? { id, pattern: pattern.slice(2), hint, behind: BEGIN } : { id, pattern, hint },
)
