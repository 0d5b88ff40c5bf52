// The image cannot be built here, so what would break its building is checked by reading: every file that the
// Dockerfile copies is there, and .dockerignore lets it through.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryPaths, root } from './support/repository.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = repositoryPaths()

/** Sources of COPY, but for those that come from another stage. */
const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
  sources.split(' '),
)
const ignored = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

test('what the image copies is there, and reaches the builder', () => {
  const missing = copied.filter((source) => !filesOf(source).some(reachesBuilder))

  expect(copied).toContain('packages/dashboard')
  expect(missing).toEqual([])
})

test('no test, local data or secret reaches the builder', () => {
  expect(reachesBuilder('packages/server/src/main.ts')).toBe(true)
  for (const path of ['.env', 'packages/server/.env', '.switchyard/development.json', '.git/config'])
    expect(reachesBuilder(path), path).toBe(false)
  for (const path of ['packages/server/test/support/switchyard.ts', 'packages/server/src/config.test.ts'])
    expect(reachesBuilder(path), path).toBe(false)
})

function filesOf(source: string): readonly string[] {
  return paths.filter((path) => path === source || path.startsWith(`${source}/`))
}

/** As Docker reads it: the last line that fits the path, or a folder above it, decides. */
function reachesBuilder(path: string): boolean {
  const above = path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))
  const last = ignored.findLast((line) => above.some((one) => patternOf(line).test(one)))
  return last?.startsWith('!') ?? true
}

function patternOf(line: string): RegExp {
  const plain = line.replace(/^!/, '').replace(/\/$/, '').replaceAll('.', '\\.')
  return new RegExp(`^${plain.replaceAll('**/', '(.+/)?').replaceAll(/(?<!\.)\*/g, '[^/]*')}$`)
}
