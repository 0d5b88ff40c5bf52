// The package as it is published: packed, installed from the archive into an empty project, and used there.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

/** Installs the archive with `npm install`. Nothing is downloaded, since the package has no dependencies. */
function installPacked(): void {
  const built = join(folder, 'built')
  buildSdk(built)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' })
  // npm passes the settings of the repository on to its child processes.
  const [{ filename }] = JSON.parse(
    npm('pack', './built', '--json', '--ignore-scripts', '--silent', '--pack-destination', '.'),
  )
  npm('install', `./${filename}`, '--offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts')
}

/** The entry module and all its imports, which a page or a worker has to load. */
function loadModules(entry: string, loaded = new Map<string, string>()): Map<string, string> {
  const text = readFileSync(join(installed, entry), 'utf8')
  loaded.set(entry, text)
  for (const [, name = ''] of text.matchAll(/from\s*['"]\.\/([\w.-]+)['"]/g))
    if (!loaded.has(name)) loadModules(name, loaded)
  return loaded
}

test('the built package is at most 12 KB compressed, and has no dependencies', () => {
  const main = loadModules('index.js')
  const adapters = loadModules('node.js')
  const texts = [...main.values(), ...adapters.values()]
  const packageJson = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  expect(gzipSync([...main.values()].join('\n')).length).toBeLessThanOrEqual(12 * 1024)
  expect(gzipSync([...adapters.values()].join('\n')).length).toBeLessThanOrEqual(1024)
  const scripts = readdirSync(installed).filter((name) => name.endsWith('.js'))
  expect([...main.keys(), ...adapters.keys()].toSorted()).toEqual(scripts)
  expect(texts.join('\n')).not.toMatch(/(from|import\(|require\()\s*['"](?!\.\/)/)
  expect(packageJson).not.toHaveProperty('dependencies')
  expect(packageJson).toMatchObject({ name: '@switchyard/sdk', license: 'Apache-2.0', sideEffects: false })
})

test('the archive contains what is documented: scripts, their types, the licence and the README, and no source', () => {
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
  expect(texts).not.toMatch(/from\s*['"]\.[^'"]*\.ts['"]/)
})

const sourceNames = ['src', 'README.md', 'package.json', 'tsconfig.build.json', 'build.ts', 'pack.ts']

/** Copies the sources, since other tests read them concurrently. */
function cloneSources(name: string): { readonly clone: string; readonly sources: string } {
  const clone = join(folder, name)
  const sources = join(clone, 'packages/sdk')
  mkdirSync(sources, { recursive: true })
  for (const file of ['LICENSE', 'tsconfig.json', 'package.json', '.npmrc'])
    cpSync(join(root, file), join(clone, file))
  for (const file of sourceNames)
    cpSync(join(root, 'packages/sdk', file), join(sources, file), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  return { clone, sources }
}

test('a plain npm pack, which runs no scripts and so would pack no code, fails and names the right command', () => {
  const { clone, sources } = cloneSources('unbuilt')

  for (const [cwd, args] of [
    [sources, ['pack']],
    [clone, ['pack', '--workspace', 'packages/sdk']],
  ] as const) {
    const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
    expect(status).not.toBe(0)
    expect(stderr).toContain('use-npm-run-pack-sdk')
  }

  const archives = [clone, sources]
    .flatMap((path) => readdirSync(path))
    .filter((name) => name.endsWith('.tgz'))
  expect(archives).toEqual([])
})

test('npm run pack:sdk packs built scripts and types, and leaves the sources unchanged', () => {
  const { clone, sources } = cloneSources('clone')
  const project = join(folder, 'project')
  mkdirSync(project)
  const packageBefore = readFileSync(join(sources, 'package.json'), 'utf8')
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8' })

  npm(clone, 'run', '--silent', 'pack:sdk', '--', '--pack-destination', project, '--silent')
  const [archive = ''] = readdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  npm(project, 'install', `./${archive}`, '--offline', '--no-audit', '--no-fund', '--silent')
  const packed = join(project, 'node_modules/@switchyard/sdk')
  const print = (program: string, type: string) =>
    execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], {
      cwd: project,
      encoding: 'utf8',
    })

  expect(readdirSync(packed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  expect(readdirSync(join(packed, 'dist')).filter((name) => !/\.(js|d\.ts)$/.test(name))).toEqual([])
  expect(JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))).not.toHaveProperty('scripts')
  const use = 'console.log(new Switchyard({ token: "sk_live_x" }).baseUrl)'
  const imported = `import { Switchyard } from '@switchyard/sdk'; import '@switchyard/sdk/node'; ${use}`
  const required = `const { Switchyard } = require('@switchyard/sdk'); require('@switchyard/sdk/node'); ${use}`
  expect(print(imported, 'module').trim()).toBe('http://127.0.0.1:8080')
  expect(print(required, 'commonjs').trim()).toBe('http://127.0.0.1:8080')
  expect(compile(program, project)).toBe('')
  expect(readFileSync(join(sources, 'package.json'), 'utf8')).toBe(packageBefore)
  expect(readdirSync(sources).toSorted()).toEqual([...sourceNames, 'dist'].toSorted())
})

test('importing only the webhook verifier does not load the client', async () => {
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

test('ES modules can import it, and CommonJS can require it', () => {
  const program = `toNodeListener(new Switchyard({ token: 'sk_live_x' }).webhooks.handler({ secret: 'whsec_x', on: {} }))
    console.log(String(new Switchyard({ token: 'sk_live_x' }).baseUrl))`
  const imported = `import { Switchyard } from '@switchyard/sdk'
    import { toNodeListener } from '@switchyard/sdk/node'
    ${program}`
  const required = `const { Switchyard } = require('@switchyard/sdk')
    const { toNodeListener } = require('@switchyard/sdk/node')
    ${program}`
  const print = (program: string, type: string) =>
    execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], { cwd: folder, encoding: 'utf8' })

  expect(print(imported, 'module').trim()).toBe('http://127.0.0.1:8080')
  expect(print(required, 'commonjs').trim()).toBe('http://127.0.0.1:8080')
})

const program = `import { Switchyard, type Customer } from '@switchyard/sdk'
  import { toNodeListener } from '@switchyard/sdk/node'
  const sy = new Switchyard({ token: 'sk_test_x' })
  export const listener = toNodeListener(async () => new Response())
  export const email = async (): Promise<Customer['email']> => (await sy.customers.get('x')).email`

test('a strict TypeScript project gets its types', () => {
  expect(compile(program, folder)).toBe('')
  expect(compile(program.replace(').email', ').mail'), folder)).toContain("Property 'mail' does not exist")
})

test.each([
  ['node16', 'node16'],
  ['esnext', 'bundler'],
])(
  'a project with module %s and resolution %s gets its types too, with skipLibCheck off',
  (module, moduleResolution) => {
    const project = join(folder, moduleResolution)
    const compilerOptions = { module, moduleResolution, strict: true, noEmit: true, target: 'es2022' }
    const options = { ...compilerOptions, lib: ['es2022', 'dom'], types: [], skipLibCheck: false }
    mkdirSync(project)
    writeFileSync(join(project, 'main.ts'), program)
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['main.ts'] }),
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')

    const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' })

    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
  },
)

test('every method and every resource has a documentation comment', () => {
  const modules = readdirSync(installed).filter((name) => name.endsWith('.d.ts') && name !== 'node.d.ts')
  const undocumented = modules.flatMap((name) => {
    const lines = readFileSync(join(installed, name), 'utf8').split('\n')
    const isClient = name === 'client.d.ts'
    return lines.flatMap((line, index) => {
      const [, member] = (isClient ? /^ {4}readonly (\w+):/ : /^ {4}(\w+): .*=>/).exec(line) ?? []
      const isDocumented = lines[index - 1]?.trimEnd().endsWith('*/')
      return member === undefined || isDocumented ? [] : [`${name}: ${member}`]
    })
  })

  expect(undocumented).toEqual([])
})
