// The published package: its size after compression, its exports, and that it has no dependencies.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type OutputChunk, rolldown } from 'rolldown'
import { afterAll, expect, test } from 'vitest'
import { buildElements } from '../build.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-elements-'))
afterAll(() => rmSync(folder, { recursive: true }))
buildElements(folder)

/** The size of a module with its imports, as a page gets it from a bundler. */
async function sizeOf(file: string): Promise<number> {
  const bundle = await rolldown({ input: join(folder, file), external: ['react'] })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  return gzipSync((output[0] as OutputChunk).code, { level: 9 }).length
}

test('the library is at most 10 KB, and the React component at most 2 KB', async () => {
  expect(await sizeOf('index.js')).toBeLessThanOrEqual(10 * 1024)
  expect(await sizeOf('react.js')).toBeLessThanOrEqual(2 * 1024)
})

test('the package has no dependencies, and React is optional', () => {
  const published = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

  expect(published).toMatchObject({
    name: '@switchyard/elements',
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './react': { types: './react.d.ts', default: './react.js' },
    },
    peerDependenciesMeta: { react: { optional: true } },
  })
  expect(published).not.toHaveProperty('dependencies')
  expect(published).not.toHaveProperty('devDependencies')
  const imports = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/from\s*['"]([^'".][^'"]*)['"]/g),
    ])
    .map(([, name]) => name)
  expect(imports).toEqual(['react'])
})

test('the modules can be imported on a server, where they do nothing', async () => {
  const { switchyard } = await import(join(folder, 'index.js'))

  expect(() => switchyard('sk_test_1', {})).toThrow('publishable token')
  expect(() => switchyard('pk_test_1', { baseUrl: 'https://pay.example.com', session: {} })).toThrow(
    'client_secret',
  )
  expect(() =>
    switchyard('pk_test_1', {
      baseUrl: 'https://pay.example.com',
      session: { id: 'a', client_secret: 'b' },
      appearance: { spacing: 100 },
    }),
  ).toThrow('appearance.spacing must be a number from 8 to 32.')
})
