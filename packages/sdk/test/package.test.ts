// The package as it is published: packed, installed from the archive into an empty project, and used there.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, expect, test } from 'vitest'
import { buildSdk } from '../build.ts'
import { compile } from './support/compile.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-package-'))
const installed = join(folder, 'node_modules/@switchyard/sdk')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
installPacked()

/** What `npm install` makes of the archive. Nothing is fetched, since the package needs no other. */
function installPacked(): void {
  const built = join(folder, 'built')
  buildSdk(built)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' })
  const [{ filename }] = JSON.parse(npm('pack', './built', '--json', '--ignore-scripts', '--silent'))
  npm('install', `./${filename}`, '--offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts')
}

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
})

test('the archive holds what is documented: scripts, their types, the licence and the README, and no source', () => {
  const names = readdirSync(installed)
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  expect(exports).toEqual({
    '.': { types: './index.d.ts', default: './index.js' },
    './node': { types: './node.d.ts', default: './node.js' },
  })
  expect(names.filter((name) => !/\.(js|d\.ts)$/.test(name))).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ])
  expect(names.filter((name) => name.endsWith('.js')).map((name) => name.replace(/\.js$/, '.d.ts'))).toEqual(
    names.filter((name) => name.endsWith('.d.ts')),
  )
  const texts = names.map((name) => readFileSync(join(installed, name), 'utf8')).join('\n')
  expect(texts).not.toContain('sourceMappingURL')
  expect(texts).not.toMatch(/from '\.[^']*\.ts'/)
})

test('whoever only verifies webhooks does not load the client', async () => {
  const sizeOf = async (name: string) => {
    const input = join(folder, `${name}.js`)
    writeFileSync(input, `export { ${name} } from '@switchyard/sdk'`)
    const bundle = await rolldown({ input, cwd: folder })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    return gzipSync(output[0].code).length
  }

  expect(await sizeOf('verifyWebhook')).toBeLessThanOrEqual(2.5 * 1024)
  expect(await sizeOf('webhookHandler')).toBeLessThanOrEqual(3 * 1024)
  expect(await sizeOf('Switchyard')).toBeLessThanOrEqual(10 * 1024)
})

test('plain JavaScript can import it, and older JavaScript can require it', () => {
  const uses = `toNodeListener(new Switchyard({ token: 'sk_live_x' }).webhooks.handler({ secret: 'whsec_x', on: {} }))
    console.log(String(new Switchyard({ token: 'sk_live_x' }).baseUrl))`
  const imported = `import { Switchyard } from '@switchyard/sdk'
    import { toNodeListener } from '@switchyard/sdk/node'
    ${uses}`
  const required = `const { Switchyard } = require('@switchyard/sdk')
    const { toNodeListener } = require('@switchyard/sdk/node')
    ${uses}`
  const print = (program: string, type: string) =>
    execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], { cwd: folder, encoding: 'utf8' })

  expect(print(imported, 'module').trim()).toBe('http://127.0.0.1:8080')
  expect(print(required, 'commonjs').trim()).toBe('http://127.0.0.1:8080')
})

const uses = `import { Switchyard, type Customer } from '@switchyard/sdk'
  import { toNodeListener } from '@switchyard/sdk/node'
  const sy = new Switchyard({ token: 'sk_test_x' })
  export const listener = toNodeListener(async () => new Response())
  export const email = async (): Promise<Customer['email']> => (await sy.customers.get('x')).email`

test('a strict TypeScript project sees its types', () => {
  expect(compile(uses, folder)).toBe('')
  expect(compile(uses.replace(').email', ').mail'), folder)).toContain("Property 'mail' does not exist")
})

test.each([
  ['node16', 'node16'],
  ['esnext', 'bundler'],
])(
  'a project with module %s and resolution %s sees them too, and its library is checked',
  (module, moduleResolution) => {
    const project = join(folder, moduleResolution)
    const compilerOptions = { module, moduleResolution, strict: true, noEmit: true, target: 'es2022' }
    const options = { ...compilerOptions, lib: ['es2022', 'dom'], types: [], skipLibCheck: false }
    mkdirSync(project)
    writeFileSync(join(project, 'main.ts'), uses)
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['main.ts'] }),
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')

    const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' })

    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
  },
)

test('every method and every resource says in the editor what it is for', () => {
  const modules = readdirSync(installed).filter((name) => name.endsWith('.d.ts') && name !== 'node.d.ts')
  const silent = modules.flatMap((name) => {
    const lines = readFileSync(join(installed, name), 'utf8').split('\n')
    const isClient = name === 'client.d.ts'
    return lines.flatMap((line, place) => {
      const [, member] = (isClient ? /^ {4}readonly (\w+):/ : /^ {4}(\w+): .*=>/).exec(line) ?? []
      const isSaid = lines[place - 1]?.trimEnd().endsWith('*/')
      return member === undefined || isSaid ? [] : [`${name}: ${member}`]
    })
  })

  expect(silent).toEqual([])
})
