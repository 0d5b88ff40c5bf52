// Installs Switchyard in a clone with the commands of docs/operations/install.md, and checks what the page promises.

import { appendFileSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Switchyard, webhookHandler } from '@switchyard/sdk'
import { toNodeListener } from '@switchyard/sdk/node'
import { until } from '../../packages/server/test/flows/support/wait.ts'
import { shellLines } from '../first-minutes/readme.ts'
import { openShell, type Shell } from '../first-minutes/shell.ts'
import { checkContainers } from './check-containers.ts'
import { type Docker, dockerIn, healthOf } from './docker.ts'
import { type LoadOptions, replaceProcessesUnderLoad } from './rolling-restart.ts'
import { printDuration, runTimed } from './run-timed.ts'

/** A separate project, so that the volumes of another installation on this machine are not affected. */
const project = 'switchyard-drill'
const testUrl = 'http://127.0.0.1:8081'
const services = ['nats', 'postgres', 'simulator', 'switchyard']
const card = { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' } as const
const startTimeoutMs = 180_000

export async function runInstallationDrill(clone: string, load: LoadOptions): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', COMPOSE_PROJECT_NAME: project }
  const docker = dockerIn(clone, env)
  const hadImage = (await docker('images', '--quiet', 'switchyard')) !== ''
  const shell = openShell(clone, env)
  const receiver = createServer()
  const startedMs = performance.now()
  try {
    const token = await install(clone, docker, shell)
    const client = new Switchyard({ token, baseUrl: testUrl })
    await payAndReceive(client, docker, receiver)
    printDuration(startedMs, 'from the first command to a succeeded payment and a verified webhook')
    await runTimed('checks of users, capabilities and file systems', () => checkContainers(docker))
    await restart(client, docker)
    await replaceProcessesUnderLoad({ docker, token, ...load })
    await runTimed('docker compose down', () => docker('compose', 'down'))
    requireEqual('containers after `down`', await docker('compose', 'ps', '--all', '--quiet'), '')
  } finally {
    receiver.closeAllConnections()
    receiver.close()
    await shell.close()
    await removeEverything(docker)
    if (!hadImage) await docker('image', 'rm', '--force', 'switchyard')
  }
  console.log('Every step succeeded.')
}

/** Returns the test token that `setup` printed. */
async function install(clone: string, docker: Docker, shell: Shell): Promise<string> {
  const lines = shellLines(readFileSync(join(clone, 'docs/operations/install.md'), 'utf8'), 'docker')
  const readme = shellLines(readFileSync(join(clone, 'README.md'), 'utf8'), 'docker')
  requireEqual('the commands of README.md', readme.join('\n'), lines.join('\n'))
  const [start = '', setup = ''] = lines.slice(-2)
  for (const line of lines.slice(0, -2)) await runTimed(line, () => shell.runLine(line))
  // The receiver of the drill has an address of the container network.
  appendFileSync(join(clone, '.env'), 'WEBHOOK_ALLOW_CIDRS=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16\n')
  // Measured separately from the start. The next command finds the image in the cache.
  await runTimed('docker compose build', () => docker('compose', 'build', '--quiet'))
  const bytes = Number(await docker('image', 'inspect', 'switchyard', '--format', '{{.Size}}'))
  console.log(`           The size of the image is ${Math.round(bytes / 1e6)} MB.`)
  await runTimed(start, () => shell.runLine(start))
  await runTimed('(every service is healthy)', () => untilHealthy(docker))
  // Otherwise the container would read the next lines of this shell, which is not a terminal.
  await runTimed(setup, () => shell.runLine(`${setup} < /dev/null`))
  const [, token = ''] = await shell.waitForOutput(/"(sk_test_\w+)"/)
  return token
}

async function untilHealthy(docker: Docker): Promise<void> {
  const expected = services.map((service) => `${service}: healthy`).join(', ')
  await until(expected, async () => (await healthOf(docker)) === expected, {
    withinMs: startTimeoutMs,
    everyMs: 500,
  })
}

/** Takes a payment and waits for its webhook, whose signature is verified. */
async function payAndReceive(client: Switchyard, docker: Docker, receiver: Server): Promise<void> {
  const gateway = await docker(
    'network',
    'inspect',
    `${project}_default`,
    '--format',
    '{{range .IPAM.Config}}{{.Gateway}}{{end}}',
  )
  await new Promise<void>((resolve) => receiver.listen(0, gateway, resolve))
  const { port } = receiver.address() as AddressInfo
  const url = `http://${gateway}:${port}/webhooks`
  const endpoint = await client.webhookEndpoints.create({ url, event_types: ['payment.succeeded'] })
  const { secret } = await client.webhookEndpoints.revealSecret(endpoint.id)
  const paid = Promise.withResolvers<string>()
  const onEvent = {
    'payment.succeeded': (event: { content: { object: { id: string } } }) =>
      paid.resolve(event.content.object.id),
  }
  receiver.on('request', toNodeListener(webhookHandler({ secret, seen: new Set<string>(), on: onEvent })))
  const payment = await runTimed('a payment', async () => {
    const { id: token } = await client.tokens.create({ type: 'card', card })
    return client.payments.create({ amount: 1299, currency: 'eur', token })
  })
  requireEqual('the status of the payment', payment.status, 'succeeded')
  const received = await runTimed('(its webhook was received and verified)', () => paid.promise)
  requireEqual('the payment of the webhook', received, payment.id)
}

/** Kills the database, then removes and starts all containers. A repeated request must get the same response. */
async function restart(client: Switchyard, docker: Docker): Promise<void> {
  const createCustomer = async () =>
    (await client.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'drill' })).id
  const id = await createCustomer()
  await docker('compose', 'kill', '--signal', 'KILL', 'postgres', 'nats')
  await runTimed('restart of PostgreSQL and NATS after SIGKILL', async () => {
    await docker('compose', 'start', 'postgres', 'nats')
    await untilHealthy(docker)
  })
  requireEqual('the customer after SIGKILL', await createCustomer(), id)
  await runTimed('docker compose down, docker compose up --detach', async () => {
    await docker('compose', 'down')
    await docker('compose', 'up', '--detach')
    await untilHealthy(docker)
  })
  requireEqual('the customer after `down` and `up`', await createCustomer(), id)
}

/** `docker compose down` does not remove containers of `docker compose run`. */
async function removeEverything(docker: Docker): Promise<void> {
  const filter = `label=com.docker.compose.project=${project}`
  const containers = await docker('ps', '--all', '--quiet', '--filter', filter)
  if (containers !== '') await docker('rm', '--force', ...containers.split('\n'))
  await docker('compose', 'down', '--volumes')
}

function requireEqual(what: string, actual: string, expected: string): void {
  if (actual !== expected)
    throw new Error(`${what}: expected ${expected || 'nothing'}, got ${actual || 'nothing'}`)
}
