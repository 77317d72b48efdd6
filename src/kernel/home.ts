/** The folder of the person who runs this. Containers often run as a number that no list of users has: `/` is its home there. */
export function homeIn(env: Readonly<Record<string, string | undefined>>, ofAccount: () => string): string {
  for (const name of ['HOME', 'USERPROFILE']) {
    const said = env[name] ?? ''
    if (said !== '') return said
  }
  try {
    return ofAccount()
  } catch {
    return '/'
  }
}
