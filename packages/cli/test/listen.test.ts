// `listen` as a developer uses it: real events, a real receiver, and a process that is killed.

import { verifyWebhook } from '@switchyard/sdk'
import { beforeEach, expect, test, vi } from 'vitest'
import { type ReceivedRequest, receiverForThisFile } from '../../server/test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../server/test/support/switchyard.ts'
import { receiverThatIsGone } from './support/absent-receiver.ts'
import { homeForThisFile, type Running } from './support/cli.ts'

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

test('each event arrives signed with the secret that it prints, with the headers of a delivery', async () => {
  const listener = await listening()

  const id = await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(listener).length === 1, waiting)

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

test('what happened while it was away comes when it is back, and nothing comes twice', async () => {
  const first = await listening()
  await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(first).length === 1, waiting)
  await first.kill('SIGKILL')

  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  const second = await listening()
  await vi.waitUntil(() => receiver.requests.length >= 3, waiting)
  await second.kill('SIGTERM')

  expect(second.secret).toBe(first.secret)
  expect(received().map(({ type }) => type)).toEqual([
    'customer.created',
    'customer.created',
    'customer.updated',
  ])
})

test('an event that came before its first answer is not lost with the process', async () => {
  const first = await listening()
  await first.kill('SIGKILL')
  await workspace.aCustomer()

  const second = await listening()
  await vi.waitUntil(() => receiver.requests.length === 1, waiting)
  await second.kill('SIGTERM')

  expect(received()).toMatchObject([{ type: 'customer.created' }])
})

test('a receiver that fails is tried again, and what is given up does not come back', async () => {
  receiver.answer = () => ({ status: 500 })
  const first = await listening(['--retries', '2'])
  await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(first).length === 3, waiting)
  await first.kill('SIGTERM')

  expect(attemptsOf(first).map(({ outcome, status }) => [outcome, status])).toEqual([
    ['retrying', 500],
    ['retrying', 500],
    ['given_up', 500],
  ])
  receiver.clear()
  const second = await listening()
  const id = await workspace.aCustomer()
  await vi.waitUntil(() => receiver.requests.length === 1, waiting)
  await second.kill('SIGTERM')
  expect(received()).toMatchObject([{ objectId: id }])
})

test('where nobody listens it waits, and sends when somebody does', async () => {
  const gone = await receiverThatIsGone()
  const running = cli.start(['listen', '--json', '--forward-to', gone.url])
  await vi.waitUntil(() => running.lines.length > 0, waiting)
  await workspace.aCustomer()
  await vi.waitUntil(() => attemptsOf(running).length > 0, waiting)

  const came = gone.comeBack()
  await vi.waitUntil(() => attemptsOf(running).at(-1)?.outcome === 'delivered', waiting)
  await running.kill('SIGTERM')

  expect(attemptsOf(running)[0]).toMatchObject({
    outcome: 'waiting',
    status: null,
    fault: 'nobody listens there',
  })
  expect(came()).toBe(1)
})

test('faults on purpose: answers are lost, events come twice and out of order, and none is missing', async () => {
  const listener = await listening(['--fail-rate', '30%', '--duplicate', '0.3', '--shuffle', '--seed', '7'])
  const id = await workspace.aCustomer()
  const changes = 30
  for (let nth = 1; nth <= changes; nth += 1) await workspace.put(`/customers/${id}`, { name: `Ada ${nth}` })
  await vi.waitUntil(() => new Set(received().map(({ id: event }) => event)).size === changes + 1, waiting)
  await listener.kill('SIGTERM')

  const sequences = received().map(({ sequence }) => sequence)
  expect(sequences.length).toBeGreaterThan(changes + 1)
  expect(sequences).not.toEqual(sequences.toSorted((a, b) => a - b))
  const outcomes = new Set(attemptsOf(listener).map(({ outcome }) => outcome))
  expect(outcomes).toEqual(new Set(['delivered', 'duplicated', 'retrying']))
})

test('only the events that were asked for', async () => {
  const listener = await listening(['--events', 'customer.updated'])
  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await vi.waitUntil(() => receiver.requests.length === 1, waiting)
  await listener.kill('SIGTERM')

  expect(received()).toMatchObject([{ type: 'customer.updated', objectId: id }])
})

test('--since begins earlier', async () => {
  const id = await workspace.aCustomer()
  const listener = await listening(['--since', '1h', '--events', 'customer.*'])
  await vi.waitUntil(() => receiver.requests.length === 1, waiting)
  await listener.kill('SIGTERM')

  expect(received()).toMatchObject([{ objectId: id }])
})

test('a second one for the same address is refused while the first one runs', async () => {
  const first = await listening()

  const second = await cli.run(['listen', '--forward-to', receiver.url])
  await first.kill('SIGTERM')

  expect(second).toMatchObject({ code: 5, err: expect.stringContaining(`Process ${first.process.pid}`) })
})

test('without an address it says how it is used', async () => {
  expect(await cli.run(['listen'])).toMatchObject({ code: 2, err: expect.stringContaining('--forward-to') })
  expect(await cli.run(['listen', '--forward-to', 'http://:::'])).toMatchObject({ code: 2 })
})

const waiting = { timeout: 30_000, interval: 20 }

/** Runs until the process says that it is ready. */
async function listening(args: readonly string[] = []) {
  const running = cli.start(['listen', '--json', '--forward-to', receiver.url, ...args])
  await vi.waitUntil(() => running.lines.length > 0, waiting)
  return { ...running, secret: JSON.parse(running.lines[0] ?? '').secret as string }
}

/** What it told of each attempt. */
function attemptsOf({ lines }: Pick<Running, 'lines'>) {
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
