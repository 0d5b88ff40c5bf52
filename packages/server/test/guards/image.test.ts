// Tests cannot build the image, so they check likely causes of build failures: every file that the Dockerfile
// copies exists, and .dockerignore does not exclude it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryPaths, root } from './support/repository.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = repositoryPaths()

/** The sources of COPY instructions, except those that copy from another stage. */
const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
  sources.split(' '),
)
const ignored = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

test('every file that the Dockerfile copies exists and is part of the build context', () => {
  const missing = copied.filter((source) => !filesUnder(source).some(isInBuildContext))

  expect(copied).toContain('packages/dashboard')
  expect(missing).toEqual([])
})

test('no test, local data or secret is part of the build context', () => {
  expect(isInBuildContext('packages/server/src/main.ts')).toBe(true)
  for (const path of ['.env', 'packages/server/.env', '.switchyard/development.json', '.git/config'])
    expect(isInBuildContext(path), path).toBe(false)
  for (const path of ['packages/server/test/support/switchyard.ts', 'packages/server/src/config.test.ts'])
    expect(isInBuildContext(path), path).toBe(false)
})

test('every base image is set by a variable, so that it can be pinned by digest', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base)
  const { services } = parse(read('compose.yaml'), { merge: true })
  const images = Object.values<{ image: string; build?: { args: Record<string, string> } }>(services)
  const external = images.filter(({ build }) => build === undefined).map(({ image }) => image)
  const [, dockerfileImage] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read('Dockerfile')) ?? []

  expect(bases).toHaveLength(3)
  expect(bases.filter((base) => !/^\$\{NODE_IMAGE\}$/.test(base))).toEqual([])
  expect(external).toHaveLength(2)
  for (const image of external) expect(image).toMatch(/^\$\{[A-Z]+_IMAGE:-[a-z]+:[a-z0-9.-]+\}$/)
  for (const { build } of images)
    expect(build?.args.NODE_IMAGE ?? null).toBe(build ? `\${NODE_IMAGE:-${dockerfileImage}}` : null)
})

describe('compose.yaml', () => {
  const { services, 'x-switchyard': shared } = parse(read('compose.yaml'), { merge: true })
  const { switchyard, simulator, migrate } = services
  const published = Object.values<{ ports?: string[] }>(services).flatMap(({ ports = [] }) => ports)

  test('publishes ports on loopback only, including the metrics', () => {
    const [, opsPort] = /:(\d+)$/.exec(shared.environment.OPS_LISTEN) ?? []

    expect(shared.environment.OPS_LISTEN).toMatch(/^0\.0\.0\.0:/)
    expect(switchyard.environment).toEqual(shared.environment)
    expect(switchyard.ports).toContain(`127.0.0.1:8084:${opsPort}`)
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  test('runs the simulator at the address that Switchyard uses, with the shared secret and no other secrets', () => {
    const [node, main] = simulator.entrypoint
    const options = Object.fromEntries<string>(
      simulator.command.map((option: string) => option.slice(2).split(/=(.*)/s)),
    )
    const known = [...read('packages/simulator/src/main.ts').matchAll(/^ {4}'?([a-z-]+)'?: \{ type:/gm)]

    expect([node, filesUnder(main).some(isInBuildContext)]).toEqual(['node', true])
    expect(copied).toContain('packages/simulator')
    expect(Object.keys(options).filter((name) => !known.some(([, option]) => option === name))).toEqual([])
    expect(options.listen).toBe(`0.0.0.0:${new URL(shared.environment.SIMULATOR_URL).port}`)
    expect(new URL(shared.environment.SIMULATOR_URL).hostname).toBe('simulator')
    expect(options['webhook-origin']).toBe('http://switchyard:8081')
    expect(Object.keys(simulator.environment)).toEqual(['SIMULATOR_SECRET'])
    expect(simulator.environment.SIMULATOR_SECRET).toBe(shared.environment.SIMULATOR_SECRET)
    expect(migrate.depends_on).not.toHaveProperty('simulator')
  })
})

function filesUnder(source: string): readonly string[] {
  return paths.filter((path) => path === source || path.startsWith(`${source}/`))
}

/** As in Docker, the last line of .dockerignore that matches the path or a parent folder takes effect. */
function isInBuildContext(path: string): boolean {
  const prefixes = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
  const last = ignored.findLast((line) => prefixes.some((prefix) => patternOf(line).test(prefix)))
  return last?.startsWith('!') ?? true
}

function patternOf(line: string): RegExp {
  const plain = line.replace(/^!/, '').replace(/\/$/, '').replaceAll('.', '\\.')
  return new RegExp(`^${plain.replaceAll('**/', '(.+/)?').replaceAll(/(?<!\.)\*/g, '[^/]*')}$`)
}
