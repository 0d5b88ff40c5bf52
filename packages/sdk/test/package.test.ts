import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { buildSdk } from '../build.ts'
import { compile } from './support/compile.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-package-'))
const installed = join(folder, 'node_modules/@switchyard/sdk')
buildSdk(installed)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The entry and all that it imports: what a page or a worker has to load. */
function loadedBy(entry: string, loaded = new Map<string, string>()): Map<string, string> {
  const text = readFileSync(join(installed, entry), 'utf8')
  loaded.set(entry, text)
  for (const [, name = ''] of text.matchAll(/from '\.\/([\w.-]+)'/g))
    if (!loaded.has(name)) loadedBy(name, loaded)
  return loaded
}

test('the built package has at most 12 KB, compressed, and needs no other', () => {
  const main = loadedBy('index.js')
  const adapters = loadedBy('node.js')
  const texts = [...main.values(), ...adapters.values()]
  const described = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  expect(gzipSync([...main.values()].join('\n')).length).toBeLessThanOrEqual(12 * 1024)
  expect(gzipSync([...adapters.values()].join('\n')).length).toBeLessThanOrEqual(1024)
  const scripts = readdirSync(installed).filter((name) => name.endsWith('.js'))
  expect([...main.keys(), ...adapters.keys()].toSorted()).toEqual(scripts)
  expect(texts.join('\n')).not.toMatch(/(from|import\(|require\()\s*['"](?!\.\/)/)
  expect(described).not.toHaveProperty('dependencies')
  expect(described).toMatchObject({ name: '@switchyard/sdk', license: 'Apache-2.0', sideEffects: false })
  expect(readdirSync(installed)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.d.ts']))
})

test('plain JavaScript can import it', () => {
  const program = `import { Switchyard } from '@switchyard/sdk'
    import { toNodeListener } from '@switchyard/sdk/node'
    toNodeListener(new Switchyard({ token: 'sk_live_x' }).webhooks.handler({ secret: 'whsec_x', on: {} }))
    console.log(String(new Switchyard({ token: 'sk_live_x' }).baseUrl))`

  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  })

  expect(printed.trim()).toBe('http://127.0.0.1:8080')
})

test('a strict TypeScript project sees its types', () => {
  const uses = `import { Switchyard, type Customer } from '@switchyard/sdk'
    import { toNodeListener } from '@switchyard/sdk/node'
    const sy = new Switchyard({ token: 'sk_test_x' })
    export const listener = toNodeListener(async () => new Response())
    export const email = async (): Promise<Customer['email']> => (await sy.customers.get('x')).email`

  expect(compile(uses, folder)).toBe('')
  expect(compile(uses.replace(').email', ').mail'), folder)).toContain("Property 'mail' does not exist")
})
