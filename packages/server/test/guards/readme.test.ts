// The Markdown pages are correct. All fences of a page that are marked `sh run` are run in one shell, against
// a server with an empty workspace. Links lead to existing files and headings, and pages that describe the
// code name existing paths.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { anchorsOf, fencesOf, linksOf, pathsOf } from './support/markdown.ts'
import { repositoryPaths, repositoryTexts, root } from './support/repository.ts'

// The commands of the pages create payments, so a provider is needed.
const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const pages = repositoryTexts().filter(({ path }) => path.endsWith('.md'))
const guides = pages.filter(({ path }) => path === 'README.md' || path.startsWith('docs/guides/'))
const runnable = guides
  .map(({ path, text }) => ({
    path,
    fences: fencesOf(text).filter(({ info }) => /^(sh|bash) run$/.test(info)),
  }))
  .filter(({ fences }) => fences.length > 0)

/** A page with a loop such as `until api … | grep -q completed` waits for background work. */
const waitsForWork = /^until /m

test.each(runnable)('the commands of $path work', async ({ fences }) => {
  const { address, token } = await switchyard.newWorkspace('test')
  // Print the line number before each fence, so that the output of a failure shows where it happened.
  const script = fences.map(({ line, text }) => `echo "[line ${line}]" >&2\n${text}`).join('\n')

  const { email: EMAIL, password: PASSWORD, live } = await switchyard.newOrganization()
  const urls = {
    TEST_URL: address,
    LIVE_URL: switchyard.addresses.live,
    DASHBOARD_URL: switchyard.dashboardUrl,
    SIMULATOR_URL: simulator.url,
  }
  const credentials = { TEST_TOKEN: token, LIVE_TOKEN: live.token, EMAIL, PASSWORD }
  const stop = waitsForWork.test(script) ? runWorkRepeatedly() : async () => {}
  const { code, output } = await runInShell(script, { ...urls, ...credentials }).finally(stop)

  expect(code, output).toBe(0)
})

test('README.md and at least one guide have commands to run', () => {
  expect(runnable.map(({ path }) => path)).toContain('README.md')
  expect(runnable.length).toBeGreaterThan(1)
})

test('a page fails if one of its commands fails', async () => {
  const failing = `curl -sS --fail-with-body "$TEST_URL/me" -H 'Authorization: Bearer no'\necho later`

  expect(await runInShell(failing, { TEST_URL: switchyard.addresses.test })).toMatchObject({ code: 22 })
  expect(await runInShell('echo "$TEST_TOKEN"', {})).not.toMatchObject({ code: 0 })
})

test('no page starts a background job with npx, because killing npx leaves its program running', () => {
  const jobs = pages.flatMap(({ path, text }) =>
    fencesOf(text)
      .flatMap((fence) => fence.text.split('\n'))
      .filter((line) => /[^&]&\s*$/.test(line))
      .map((line) => `${path}: ${line}`),
  )

  expect(jobs.join('\n')).toContain('README.md: switchyard listen')
  expect(jobs.filter((line) => /\bnp(x|m)\b/.test(line))).toEqual([])
})

test('every fence that is marked to run is a shell script', () => {
  const unsupported = guides.flatMap(({ path, text }) =>
    fencesOf(text)
      .filter(({ info }) => /\brun\b/.test(info) && !/^(sh|bash) run$/.test(info))
      .map(({ info, line }) => `${path}:${line} ${info}`),
  )

  expect(unsupported).toEqual([])
})

describe('links', () => {
  const files = new Set(repositoryPaths())
  const texts = new Map(pages.map(({ path, text }) => [path, text]))
  const exists = (path: string) => files.has(path) || [...files].some((file) => file.startsWith(`${path}/`))

  test.each(pages)('of $path lead to existing files and headings', ({ path, text }) => {
    const broken = linksOf(path, text).filter(({ to, anchor }) => {
      if (!exists(to)) return true
      const target = texts.get(to)
      return anchor !== '' && target !== undefined && !anchorsOf(target).has(anchor)
    })

    expect(broken).toEqual([])
  })

  test('and headings are parsed correctly', () => {
    const page =
      '# One `two`: three\n[a](b.md#c) `[no](x.md)` [d](#one-two-three)\n```\n[no](y.md)\n```\n[e](https://example.com)'

    expect(linksOf('docs/a.md', page)).toEqual([
      { to: 'docs/b.md', anchor: 'c' },
      { to: 'docs/a.md', anchor: 'one-two-three' },
    ])
    expect([...anchorsOf(page)]).toEqual(['one-two-three'])
  })
})

describe('paths', () => {
  const files = repositoryPaths()
  const topLevel = new Set(files.flatMap((file) => file.split('/').slice(0, 1)))
  const codePages = pages.filter(({ path }) =>
    /^((ARCHITECTURE|CONTRIBUTING|STYLE)\.md|docs\/(contributing|decisions)\/.*|(.*\/)?README\.md)$/.test(
      path,
    ),
  )
  /**
   * Every file and folder, and each of their path suffixes: `server/src/main.ts`, `src/main.ts`, `main.ts`.
   */
  const suffixes = new Set(files.flatMap((file) => suffixesOf(file)))
  // npm, builds and development create these files, and git ignores them.
  const ignored = /^(node_modules|\.switchyard)\/|^\.env$|(^|\/)dist\/$/
  const packages = Object.keys(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages)
  const isPackage = (name: string) => packages.includes(`node_modules/${name}`)

  function findMissingPaths(markdown: string): string[] {
    return pathsOf(markdown, topLevel).filter((mentioned) => {
      const path = mentioned.replace(/\/$/, '')
      if (ignored.test(mentioned) || isPackage(path)) return false
      const [first = ''] = path.split('/')
      // A path that starts in the root must be complete. Any other path is relative to some folder.
      return path.includes('/') && topLevel.has(first) ? !exists(path) : !suffixes.has(path)
    })
  }

  function exists(path: string): boolean {
    return files.some((file) => file === path || file.startsWith(`${path}/`))
  }

  test.each(codePages)('in $path exist', ({ text }) => {
    expect(findMissingPaths(text)).toEqual([])
  })

  test('of missing files are detected', () => {
    const page =
      '`packages/server/src/gone.ts` `packages/sdk` `main.ts` `gone.ts` `src/gone/` `ipaddr.js` `<noun>.ts` `and/or` `/readyz`'

    expect(findMissingPaths(page)).toEqual(['packages/server/src/gone.ts', 'gone.ts', 'src/gone/'])
    expect(codePages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['ARCHITECTURE.md', 'README.md']),
    )
  })
})

/** The suffixes of the path of a file and of the paths of its folders. */
function suffixesOf(file: string): string[] {
  const names = file.split('/')
  return names.flatMap((_, from) =>
    names.slice(from).map((__, to) => names.slice(from, from + to + 1).join('/')),
  )
}

/** Runs due work repeatedly, like a worker, until the returned function is called. */
function runWorkRepeatedly(): () => Promise<void> {
  let isStopped = false
  const working = (async () => {
    while (!isStopped) {
      await switchyard.settle()
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  return () => {
    isStopped = true
    return working
  }
}

async function runInShell(script: string, variables: Record<string, string>) {
  const { TEST_TOKEN: _, TEST_URL: __, ...environment } = process.env
  const options = { cwd: root, env: { ...environment, ...variables }, timeout: 15_000 }
  return promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
    (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
  )
}
