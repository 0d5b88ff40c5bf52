// Checks running containers from inside: a setting that the container engine ignores still looks right in compose.yaml.

import type { Docker } from './docker.ts'

type Expectation = { readonly root: boolean; readonly writable: boolean }

/**
 * What must hold in a container. PostgreSQL has a writable root file system. Its entry point starts as root and continues
 * as another user, so the main process is not root.
 */
const expectations: { readonly [service: string]: Expectation } = {
  switchyard: { root: false, writable: false },
  simulator: { root: false, writable: false },
  nats: { root: true, writable: false },
  postgres: { root: false, writable: true },
}

export async function checkContainers(docker: Docker): Promise<void> {
  const violations = (
    await Promise.all(Object.keys(expectations).map((service) => check(docker, service)))
  ).flat()
  if (violations.length > 0) throw new Error(violations.join('\n'))
}

async function check(docker: Docker, service: string): Promise<string[]> {
  const { root, writable } = expectations[service] as Expectation
  const status = await docker('compose', 'exec', '-T', service, 'cat', '/proc/1/status')
  const read = (name: string) => new RegExp(`^${name}:\\t(\\w+)`, 'm').exec(status)?.[1] ?? 'missing'
  const canWrite = await isWritable(docker, service)
  return [
    ...(root || read('Uid') !== '0' ? [] : [`${service} runs as root`]),
    ...(Number.parseInt(read('CapEff'), 16) === 0 ? [] : [`${service} has capabilities ${read('CapEff')}`]),
    ...(read('NoNewPrivs') === '1' ? [] : [`${service} can gain privileges`]),
    ...(read('Seccomp') === '2' ? [] : [`${service} has no seccomp profile`]),
    ...(canWrite === writable
      ? []
      : [`${service} has a root file system that is ${canWrite ? 'writable' : 'read-only'}`]),
  ]
}

async function isWritable(docker: Docker, service: string): Promise<boolean> {
  const script = 'if touch /written-by-the-drill; then echo yes; else echo no; fi'
  return (await docker('compose', 'exec', '-T', '--user', '0', service, 'sh', '-c', script)) === 'yes'
}
