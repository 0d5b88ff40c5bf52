// The pages of docs/reference/api are correct: every operation has a section, its curl command is parsed by a
// real shell and sent to a real server, which accepts its form, and its TypeScript compiles against the
// package.

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
const pagesFolder = join(root, 'docs/reference/api')
const pages = readdirSync(pagesFolder).map((name) => ({
  name,
  text: readFileSync(join(pagesFolder, name), 'utf8'),
}))
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
    method: method.toUpperCase(),
    path,
    id,
    summary,
  })),
)
const sections = operations.map((operation) => ({ ...operation, ...sectionOf(operation) }))

const folder = mkdtempSync(join(tmpdir(), 'switchyard-api-pages-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The section of an operation, from its heading to the next heading. */
function sectionOf({ method, path, summary }: Operation) {
  const heading = `## ${summary}\n\n\`${method} ${path}\`. SDK: \``
  const page = pages.find(({ text }) => text.includes(heading))
  const rest = page?.text.slice(page.text.indexOf(heading)) ?? ''
  const [, sdk, log] = /^`[^`]+`\. SDK: `([^`]+)`\. In logs: `([^`]+)`\.$/m.exec(rest) ?? []
  const text = rest.slice(0, rest.indexOf('\n## ', 3) === -1 ? rest.length : rest.indexOf('\n## ', 3))
  const fences = fencesOf(text)
  const blocksOf = (info: string) => fences.filter((fence) => fence.info === info).map((fence) => fence.text)
  return { page, text, names: { sdk, log }, curls: blocksOf('sh'), calls: blocksOf('ts') }
}

type Failure = { readonly code: string; readonly errors: readonly { readonly code: string }[] }

test('every operation has a section with a link to it, one curl and one call', () => {
  const incomplete = sections.filter(({ page, summary, curls, calls, text }) => {
    const anchor = summary.toLowerCase().replaceAll(' ', '-')
    const isLinked = page?.text.includes(`(#${anchor})`) && anchorsOf(page.text).has(anchor)
    return !isLinked || curls.length !== 1 || calls.length !== 1 || !/\*\*Required role\.\*\* \w/.test(text)
  })

  expect(incomplete.map(({ id }) => id)).toEqual([])
  expect(sections.length).toBeGreaterThan(150)
})

test('every section has the operation name that is used in logs, and the name of its SDK call', () => {
  const mismatched = sections.filter(
    ({ id, names, calls }) => names.log !== id || !calls[0]?.includes(`sy.${names.sdk}(`),
  )

  expect(mismatched.map(({ id, names }) => [id, names])).toEqual([])
})

test('a shell parses the method, the path and a JSON body of every curl command', () => {
  const requests = requestsIn(sections.map(({ curls }) => curls[0] ?? ''))

  const parsed = requests.map(({ method, url, body }, index) => {
    const template = (sections[index]?.path ?? '').replaceAll(/\{\w+\}/g, '[^/]+')
    const matchesPath = new RegExp(`^${template}$`).test(new URL(url).pathname)
    return {
      id: sections[index]?.id,
      method,
      matchesPath,
      isJson: body === null || JSON.parse(body) !== null,
    }
  })
  expect(parsed).toEqual(sections.map(({ id, method }) => ({ id, method, matchesPath: true, isJson: true })))
})

test('the server rejects no curl command as malformed', async () => {
  const { token, address } = await switchyard.newWorkspace()
  const requests = requestsIn(sections.map(({ curls }) => curls[0] ?? ''))
  const failures: (Failure & { readonly id: string | undefined })[] = []
  for (const [index, { method, url, headers, body }] of requests.entries()) {
    const { pathname, search } = new URL(url)
    const requestHeaders = { ...headers, authorization: headers.authorization?.replace('TOKEN', token) ?? '' }
    const abort = new AbortController()
    const response = await fetch(address + pathname + search, {
      method,
      body,
      headers: requestHeaders,
      signal: abort.signal,
    })
    // A stream continues until the client disconnects.
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const { code = '', errors = [] } = isJson ? ((await response.json()) as Partial<Failure>) : {}
    abort.abort()
    if (![200, 201, 202].includes(response.status)) failures.push({ id: sections[index]?.id, code, errors })
  }

  expect(failures.filter((failure) => !isMissingObject(failure))).toEqual([])
})

/** Whether the request only failed because the objects of the example do not exist. */
function isMissingObject({ code, errors = [] }: Failure): boolean {
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

/** The requests that curl would send. One shell parses all commands. */
function requestsIn(commands: readonly string[]): Request[] {
  const script = ['curl() { printf "%s\\0" "$@" "next command"; }', 'uuidgen() { echo a-key; }', ...commands]
  const env = { TEST_TOKEN: 'TOKEN', TEST_URL: 'http://127.0.0.1:8081', CHECKOUT_SECRET: 'a-secret' }
  const output = execFileSync('bash', ['-euc', script.join('\n')], { env, encoding: 'utf8' })
  return output
    .split('next command\0')
    .slice(0, -1)
    .map((args) => requestOf(args.split('\0').slice(0, -1)))
}

function requestOf(args: readonly string[]): Request {
  const valuesOf = (flag: string) => args.flatMap((arg, at) => (args[at - 1] === flag ? [arg] : []))
  const headers = valuesOf('-H').map((header) => header.split(/:\s*/, 2) as [string, string])
  const [body = null] = valuesOf('-d')
  return {
    method: valuesOf('-X')[0] ?? (body === null ? 'GET' : 'POST'),
    url: args.find((arg) => arg.startsWith('http')) ?? '',
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body,
  }
}
