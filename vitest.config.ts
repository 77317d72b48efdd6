import { defineConfig } from 'vitest/config'

const soak = process.env['SOAK'] === '1'

// What a caller's shell has set must not decide which session a test talks to, nor as whom.
const deciding = /^(STEADFOLD_.*|CLAUDE_CODE_SESSION_ID|CODEX_(THREAD|SESSION)_ID|GEMINI_CLI|OPENCODE)$/
for (const name of Object.keys(process.env)) if (deciding.test(name)) delete process.env[name]

/**
 * Four projects: `unit` reads the sources, `product` runs what was built, `web` looks at the pages in a browser, `e2e` uses
 * the packed tarball as a stranger would.
 */
export default defineConfig({
  test: {
    // Longer than anything takes on a machine that has other things to do.
    testTimeout: soak ? 30 * 60_000 : 120_000,
    hookTimeout: soak ? 10 * 60_000 : 120_000,
    // bash that takes itself for a first shell, behind a socket as here, reads the ~/.bashrc of whoever runs the tests.
    env: { NO_COLOR: '1', SHLVL: '1' },
    globalSetup: ['test/scratch.ts'],
    // Most tests wait for processes and disks.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          // They share modules, which halves what they cost, so none may leave one changed.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/web/**'],
          // As above.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['test/web/**/*.test.ts'],
          // As above.
          isolate: false,
          globalSetup: ['test/web/chromium.ts'],
          expect: { poll: { timeout: 40_000 } },
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], globalSetup: ['test/e2e/install.ts'] },
      },
    ],
  },
})
