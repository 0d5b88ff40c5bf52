// Replaces API processes under load, as docs/operations/upgrade.md describes: starts a new container, waits until it is
// ready, and stops an old one with SIGTERM. Requests go through a load balancer. The SDK may repeat requests; a request
// that fails after its retries is a violation.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Backend, startBalancer } from '../../packages/server/test/drills/load-balancer.ts'
import { startLoad } from '../../packages/server/test/drills/load-generator.ts'
import { freePort } from '../services/ports.ts'
import type { Docker } from './docker.ts'
import { runTimed } from './run-timed.ts'

export type LoadOptions = { readonly seconds: number; readonly perSecond: number }

type Restart = LoadOptions & { readonly docker: Docker; readonly token: string }

export async function replaceProcessesUnderLoad({
  docker,
  token,
  seconds,
  perSecond,
}: Restart): Promise<void> {
  const port = await freePort()
  const balancer = await startBalancer(port)
  const violations: string[] = []
  const start = async (name: string) => {
    const backend = await startApi(docker, name)
    balancer.add(backend)
    await balancer.waitUntilReady(backend)
    return backend
  }
  const stop = async (name: string, backend: Backend) => {
    await docker('stop', '--time', '50', name)
    const exitCode = await docker('inspect', name, '--format', '{{.State.ExitCode}}')
    if (exitCode !== '0') violations.push(`${name} exited with ${exitCode}`)
    if (!balancer.sawDraining(backend))
      violations.push(`${name} stopped without reporting that it is not ready`)
  }
  const old = await runTimed('start of two API containers', async () => ({
    'drill-api-1': await start('drill-api-1'),
    'drill-api-2': await start('drill-api-2'),
  }))
  const load = await startLoad({ address: `http://127.0.0.1:${port}`, token, perSecond, subscriptions: 1 })
  await sleep((seconds * 1000) / 2)
  let number = 2
  for (const [name, backend] of Object.entries(old)) {
    number += 1
    await runTimed(`drill-api-${number} replaces ${name}`, async () => {
      await start(`drill-api-${number}`)
      await stop(name, backend)
    })
  }
  await sleep((seconds * 1000) / 2)
  await load.stop()
  await balancer.close()
  const attempts = [...load.failedAttempts].map(([status, count]) => `${count} × ${status || 'no response'}`)
  console.log(
    `           ${load.calls()} calls, failed attempts: ${attempts.join(', ') || 'none'}, failed after retries: ${load.failures.length}`,
  )
  violations.push(...load.failures)
  if (load.calls() === 0) violations.push('no request was made')
  if (violations.length > 0) throw new Error(violations.join('\n'))
}

/** `docker compose run` publishes no ports, so the container is reached at its address. */
async function startApi(docker: Docker, name: string): Promise<Backend> {
  await docker(
    'compose',
    'run',
    '--detach',
    '--no-deps',
    '--name',
    name,
    '--env',
    'DRAIN_SECONDS=3',
    'switchyard',
    'api',
  )
  const host = await docker(
    'inspect',
    name,
    '--format',
    '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
  )
  return { host, port: 8081, readyUrl: `http://${host}:9090/readyz` }
}
