// What the pages say works. A fence marked `sh run` is run as a reader would, page by page in one shell,
// against a server with an empty workspace; links lead to files and headings that exist.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { anchorsOf, fencesOf, linksOf } from './support/markdown.ts'
import { repositoryPaths, repositoryTexts, root } from './support/repository.ts'

// Pages take payments, so there is a provider.
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

test.each(runnable)('the commands of $path work', async ({ fences }) => {
  const { address, token } = await switchyard.newWorkspace('test')
  // The line of each fence goes before it into what is shown when one fails.
  const script = fences.map(({ line, text }) => `echo "[line ${line}]" >&2\n${text}`).join('\n')

  const { email: EMAIL, password: PASSWORD, live } = await switchyard.newOrganization()
  const places = {
    ...{ TEST_URL: address, LIVE_URL: switchyard.addresses.live },
    ...{ DASHBOARD_URL: switchyard.dashboardUrl, SIMULATOR_URL: simulator.url },
  }
  const keys = { TEST_TOKEN: token, LIVE_TOKEN: live.token, EMAIL, PASSWORD }
  const { code, output } = await runInShell(script, { ...places, ...keys })

  expect(code, output).toBe(0)
})

test('README.md has commands to run, and so has some guide', () => {
  expect(runnable.map(({ path }) => path)).toContain('README.md')
  expect(runnable.length).toBeGreaterThan(1)
})

test('a command that fails in the middle fails the page', async () => {
  const refused = `curl -sS --fail-with-body "$TEST_URL/me" -H 'Authorization: Bearer no'\necho later`

  expect(await runInShell(refused, { TEST_URL: switchyard.addresses.test })).toMatchObject({ code: 22 })
  expect(await runInShell('echo "$TEST_TOKEN"', {})).not.toMatchObject({ code: 0 })
})

test('no fence is marked in a way that nobody runs', () => {
  const odd = guides.flatMap(({ path, text }) =>
    fencesOf(text)
      .filter(({ info }) => /\brun\b/.test(info) && !/^(sh|bash) run$/.test(info))
      .map(({ info, line }) => `${path}:${line} ${info}`),
  )

  expect(odd).toEqual([])
})

describe('links', () => {
  const files = new Set(repositoryPaths())
  const texts = new Map(pages.map(({ path, text }) => [path, text]))
  const exists = (path: string) => files.has(path) || [...files].some((file) => file.startsWith(`${path}/`))

  test.each(pages)('of $path lead somewhere', ({ path, text }) => {
    const dead = linksOf(path, text).filter(({ to, anchor }) => {
      if (!exists(to)) return true
      const target = texts.get(to)
      return anchor !== '' && target !== undefined && !anchorsOf(target).has(anchor)
    })

    expect(dead).toEqual([])
  })

  test('are found, and so are the headings they point to', () => {
    const page =
      '# One `two`: three\n[a](b.md#c) `[no](x.md)` [d](#one-two-three)\n```\n[no](y.md)\n```\n[e](https://example.com)'

    expect(linksOf('docs/a.md', page)).toEqual([
      { to: 'docs/b.md', anchor: 'c' },
      { to: 'docs/a.md', anchor: 'one-two-three' },
    ])
    expect([...anchorsOf(page)]).toEqual(['one-two-three'])
  })
})

async function runInShell(script: string, variables: Record<string, string>) {
  const { TEST_TOKEN: _, TEST_URL: __, ...environment } = process.env
  const options = { cwd: root, env: { ...environment, ...variables }, timeout: 15_000 }
  return promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
    (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
  )
}
