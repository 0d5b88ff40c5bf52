// `listen` with real events and a real receiver, including kills of the process.

import { verifyWebhook } from '@switchyard/sdk'
import { beforeEach, expect, test, vi } from 'vitest'
import { type ReceivedRequest, receiverForThisFile } from '../../server/test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../server/test/support/switchyard.ts'
import { homeForThisFile, type RunningCli } from './support/cli.ts'
import { unreachableReceiver } from './support/unreachable-receiver.ts'

vi.setConfig({ testTimeout: 90_000 })

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
const cli = homeForThisFile()
let workspace: Workspace

beforeEach(async () => {
  receiver.clear()
  workspace = await switchyard.newWorkspace()
  await cli.login(workspace)
})

test('each event is signed with the printed secret, and has the headers of a delivery', async () => {
  const listener = await startListening()

  const id = await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(listener).length === 1, waitOptions)

  const [request] = receiver.requests
  const { body = '', headers = {} } = request ?? {}
  const event = await verifyWebhook({ body, headers, secret: listener.secret })
  expect(event).toMatchObject({ type: 'customer.created', content: { object: { id } } })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': event.id,
    'switchyard-attempt': '1',
    'switchyard-delivery': expect.stringMatching(/^delivery_test_\w{26}$/),
    'user-agent': 'Switchyard-Webhooks',
  })
  expect(attemptsOf(listener)).toMatchObject([
    { event_id: event.id, object_id: id, status: 200, outcome: 'delivered' },
  ])
  expect((await listener.kill('SIGINT')).code).toBe(130)
})

test('events that occurred while it was down are sent after the restart, and none is sent twice', async () => {
  const first = await startListening()
  await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(first).length === 1, waitOptions)
  await first.kill('SIGKILL')

  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  const second = await startListening()
  await vi.waitUntil(() => receiver.requests.length >= 3, waitOptions)
  await second.kill('SIGTERM')

  expect(second.secret).toBe(first.secret)
  expect(received().map(({ type }) => type)).toEqual([
    'customer.created',
    'customer.created',
    'customer.updated',
  ])
})

test('a kill before the first event loses no event', async () => {
  const first = await startListening()
  await first.kill('SIGKILL')
  await workspace.aCustomer()

  const second = await startListening()
  await vi.waitUntil(() => receiver.requests.length === 1, waitOptions)
  await second.kill('SIGTERM')

  expect(received()).toMatchObject([{ type: 'customer.created' }])
})

test('a failed event is retried, and after it was given up it is not sent again', async () => {
  receiver.answer = () => ({ status: 500 })
  const first = await startListening(['--retries', '2'])
  await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(first).length === 3, waitOptions)
  await first.kill('SIGTERM')

  expect(attemptsOf(first).map(({ outcome, status }) => [outcome, status])).toEqual([
    ['retrying', 500],
    ['retrying', 500],
    ['given_up', 500],
  ])
  receiver.clear()
  const second = await startListening()
  const id = await workspace.aCustomer()
  await vi.waitUntil(() => receiver.requests.length === 1, waitOptions)
  await second.kill('SIGTERM')
  expect(received()).toMatchObject([{ objectId: id }])
})

test('it waits for an unreachable receiver, and sends the event when the receiver is up', async () => {
  const unreachable = await unreachableReceiver()
  const running = cli.start(['listen', '--json', '--forward-to', unreachable.url])
  await vi.waitUntil(() => running.lines.length > 0, waitOptions)
  await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(running).length > 0, waitOptions)

  const requestCount = unreachable.startServer()
  await vi.waitUntil(() => attemptsOf(running).at(-1)?.outcome === 'delivered', waitOptions)
  await running.kill('SIGTERM')

  expect(attemptsOf(running)[0]).toMatchObject({
    outcome: 'waiting',
    status: null,
    fault: 'receiver unreachable',
  })
  expect(requestCount()).toBe(1)
})

test('injected faults: responses are dropped, events are duplicated and out of order, and none is missing', async () => {
  const listener = await startListening([
    '--fail-rate',
    '30%',
    '--duplicate',
    '0.3',
    '--shuffle',
    '--seed',
    '7',
  ])
  const id = await workspace.aCustomer()
  const changes = 30
  for (let nth = 1; nth <= changes; nth += 1) await workspace.put(`/customers/${id}`, { name: `Ada ${nth}` })
  await vi.waitUntil(
    () => new Set(received().map(({ id: event }) => event)).size === changes + 1,
    waitOptions,
  )
  await listener.kill('SIGTERM')

  const sequences = received().map(({ sequence }) => sequence)
  expect(sequences.length).toBeGreaterThan(changes + 1)
  expect(sequences).not.toEqual(sequences.toSorted((a, b) => a - b))
  const outcomes = new Set(attemptsOf(listener).map(({ outcome }) => outcome))
  expect(outcomes).toEqual(new Set(['delivered', 'duplicated', 'retrying']))
})

test('--events filters by event type', async () => {
  const listener = await startListening(['--events', 'customer.updated'])
  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await vi.waitUntil(() => receiver.requests.length === 1, waitOptions)
  await listener.kill('SIGTERM')

  expect(received()).toMatchObject([{ type: 'customer.updated', objectId: id }])
})

test('--since starts in the past', async () => {
  const id = await workspace.aCustomer()
  const listener = await startListening(['--since', '1h', '--events', 'customer.*'])
  await vi.waitUntil(() => receiver.requests.length === 1, waitOptions)
  await listener.kill('SIGTERM')

  expect(received()).toMatchObject([{ objectId: id }])
})

test('a second listener for the same URL is rejected while the first one runs', async () => {
  const first = await startListening()

  const second = await cli.run(['listen', '--forward-to', receiver.url])
  await first.kill('SIGTERM')

  expect(second).toMatchObject({ code: 5, err: expect.stringContaining(`Process ${first.process.pid}`) })
})

test('a missing or invalid URL is a usage error', async () => {
  expect(await cli.run(['listen'])).toMatchObject({ code: 2, err: expect.stringContaining('--forward-to') })
  expect(await cli.run(['listen', '--forward-to', 'http://:::'])).toMatchObject({ code: 2 })
})

const waitOptions = { timeout: 30_000, interval: 20 }

/** Starts `listen`, and waits until it is ready. */
async function startListening(args: readonly string[] = []) {
  const running = cli.start(['listen', '--json', '--forward-to', receiver.url, ...args])
  await vi.waitUntil(() => running.lines.length > 0, waitOptions)
  return { ...running, secret: JSON.parse(running.lines[0] ?? '').secret as string }
}

/** The reported attempts. */
function attemptsOf({ lines }: Pick<RunningCli, 'lines'>) {
  return lines.slice(1).map((line) => JSON.parse(line))
}

function received() {
  return receiver.requests.map(contentOf)
}

function contentOf({ body }: ReceivedRequest) {
  const { id, type, data } = JSON.parse(body)
  const { sequence, object } = JSON.parse(data)
  return { id, type, sequence: sequence as number, objectId: object.id as string }
}
