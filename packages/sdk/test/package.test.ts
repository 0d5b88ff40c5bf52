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

const scripts = readdirSync(installed).filter((name) => name.endsWith('.js'))

test('the built package has at most 12 KB, compressed, and needs no other', () => {
  const texts = scripts.map((name) => readFileSync(join(installed, name), 'utf8'))
  const described = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  expect(gzipSync(texts.join('\n')).length).toBeLessThanOrEqual(12 * 1024)
  expect(texts.join('\n')).not.toMatch(/(from|import\(|require\()\s*['"](?!\.\/)/)
  expect(described).not.toHaveProperty('dependencies')
  expect(described).toMatchObject({ name: '@switchyard/sdk', license: 'Apache-2.0', sideEffects: false })
  expect(readdirSync(installed)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.d.ts']))
})

test('plain JavaScript can import it', () => {
  const program = `import { Switchyard } from '@switchyard/sdk'
    console.log(String(new Switchyard({ token: 'sk_live_x' }).baseUrl))`

  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  })

  expect(printed.trim()).toBe('http://127.0.0.1:8080')
})

test('a strict TypeScript project sees its types', () => {
  const uses = `import { Switchyard, type Customer } from '@switchyard/sdk'
    const sy = new Switchyard({ token: 'sk_test_x' })
    export const email = async (): Promise<Customer['email']> => (await sy.customers.get('x')).email`

  expect(compile(uses, folder)).toBe('')
  expect(compile(uses.replace(').email', ').mail'), folder)).toContain("Property 'mail' does not exist")
})
