// The pages of docs/reference/api can be believed: every operation has a section, its curl is read by a real shell
// and sent to a real server, which understands it, and its TypeScript compiles against the package.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { anchorsOf, fencesOf } from '../../server/test/guards/support/markdown.ts'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { buildSdk } from '../build.ts'
import { compile } from './support/compile.ts'

const switchyard = await switchyardForThisFile()
const root = resolve(import.meta.dirname, '../../..')
const place = join(root, 'docs/reference/api')
const pages = readdirSync(place).map((name) => ({ name, text: readFileSync(join(place, name), 'utf8') }))
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))

type Operation = {
  readonly method: string
  readonly path: string
  readonly id: string
  readonly summary: string
}
const operations: Operation[] = Object.entries<Record<string, { operationId: string; summary: string }>>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId: id, summary }]) => ({
    ...{ method: method.toUpperCase(), path, id, summary },
  })),
)
const sections = operations.map((operation) => ({ ...operation, ...sectionOf(operation) }))

const folder = mkdtempSync(join(tmpdir(), 'switchyard-api-pages-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** From its heading to the next. */
function sectionOf({ method, path, summary }: Operation) {
  const mark = `## ${summary}\n\n\`${method} ${path}\`, in the SDK \``
  const page = pages.find(({ text }) => text.includes(mark))
  const rest = page?.text.slice(page.text.indexOf(mark)) ?? ''
  const [, sdk, log] = /^`[^`]+`, in the SDK `([^`]+)`, in logs `([^`]+)`$/m.exec(rest) ?? []
  const text = rest.slice(0, rest.indexOf('\n## ', 3) === -1 ? rest.length : rest.indexOf('\n## ', 3))
  const fences = fencesOf(text)
  const of = (info: string) => fences.filter((fence) => fence.info === info).map((fence) => fence.text)
  return { page, text, named: { sdk, log }, curls: of('sh'), calls: of('ts') }
}

type Refusal = { readonly code: string; readonly errors: readonly { readonly code: string }[] }

test('every operation has a section with a link to it, one curl and one call', () => {
  const wanting = sections.filter(({ page, summary, curls, calls, text }) => {
    const anchor = summary.toLowerCase().replaceAll(' ', '-')
    const isLinked = page?.text.includes(`(#${anchor})`) && anchorsOf(page.text).has(anchor)
    return !isLinked || curls.length !== 1 || calls.length !== 1 || !/\*\*Who may\.\*\* \w/.test(text)
  })

  expect(wanting.map(({ id }) => id)).toEqual([])
  expect(sections.length).toBeGreaterThan(150)
})

test('every section has the name of its operation in logs, and the one that its call of the SDK has', () => {
  const wrong = sections.filter(
    ({ id, named, calls }) => named.log !== id || !calls[0]?.includes(`sy.${named.sdk}(`),
  )

  expect(wrong.map(({ id, named }) => [id, named])).toEqual([])
})

test('a shell reads from every curl the method, the path and a body of JSON', () => {
  const requests = requestsIn(sections.map(({ curls }) => curls[0] ?? ''))

  const read = requests.map(({ method, url, body }, index) => {
    const template = (sections[index]?.path ?? '').replaceAll(/\{\w+\}/g, '[^/]+')
    const fits = new RegExp(`^${template}$`).test(new URL(url).pathname)
    return { id: sections[index]?.id, method, fits, isJson: body === null || JSON.parse(body) !== null }
  })
  expect(read).toEqual(sections.map(({ id, method }) => ({ id, method, fits: true, isJson: true })))
})

test('the server understands every curl: it refuses none of them as malformed', async () => {
  const { token, address } = await switchyard.newWorkspace()
  const requests = requestsIn(sections.map(({ curls }) => curls[0] ?? ''))
  const answers: (Refusal & { readonly id: string | undefined })[] = []
  for (const [index, { method, url, headers, body }] of requests.entries()) {
    const { pathname, search } = new URL(url)
    const sent = { ...headers, authorization: headers.authorization?.replace('TOKEN', token) ?? '' }
    const ended = new AbortController()
    const answer = await fetch(address + pathname + search, {
      ...{ method, body, headers: sent, signal: ended.signal },
    })
    // A stream goes on for as long as somebody listens.
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    const { code = '', errors = [] } = isJson ? ((await answer.json()) as Partial<Refusal>) : {}
    ended.abort()
    if (![200, 201, 202].includes(answer.status)) answers.push({ id: sections[index]?.id, code, errors })
  }

  expect(answers.filter((refusal) => !isOfMissingObjects(refusal))).toEqual([])
})

/** The objects of the examples do not exist. Nothing else may be wrong with them. */
function isOfMissingObjects({ code, errors = [] }: Refusal): boolean {
  if (code === 'route_invalid') return errors.every((fault) => fault.code === 'account_not_active')
  return code === 'not_found' || code === 'reference_not_found'
}

test('every call of the SDK compiles', { timeout: 60_000 }, () => {
  buildSdk(join(folder, 'node_modules/@switchyard/sdk'))
  const [client = ''] = fencesOf(pages.find(({ name }) => name === 'README.md')?.text ?? '')
    .filter(({ info }) => info === 'ts')
    .map(({ text }) => text)
  const blocks = sections.map(({ id, calls }) => `// ${id}\n{\n${calls[0]}}`)
  const environment = 'declare const process: { env: Record<string, string | undefined> }\n'

  expect(compile([environment, client, ...blocks].join('\n'), folder)).toBe('')
  expect(compile([environment, client, 'await sy.customers.get(4711)'].join('\n'), folder)).toContain(
    'TS2345',
  )
})

type Request = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** What curl would send, as one shell reads all of the commands. */
function requestsIn(commands: readonly string[]): Request[] {
  const script = ['curl() { printf "%s\\0" "$@" "next command"; }', 'uuidgen() { echo a-key; }', ...commands]
  const env = { TEST_TOKEN: 'TOKEN', TEST_URL: 'http://127.0.0.1:8081', CHECKOUT_SECRET: 'a-secret' }
  const output = execFileSync('bash', ['-euc', script.join('\n')], { env, encoding: 'utf8' })
  return output
    .split('next command\0')
    .slice(0, -1)
    .map((words) => requestOf(words.split('\0').slice(0, -1)))
}

function requestOf(words: readonly string[]): Request {
  const after = (flag: string) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []))
  const headers = after('-H').map((header) => header.split(/:\s*/, 2) as [string, string])
  const [body = null] = after('-d')
  return {
    method: after('-X')[0] ?? (body === null ? 'GET' : 'POST'),
    url: words.find((word) => word.startsWith('http')) ?? '',
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body,
  }
}
