// Daily work with the CLI against a real API: events, payments, test clocks, routes and example data.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signWebhook } from '@switchyard/sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { receiverForThisFile } from '../../server/test/support/receiver.ts'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../server/test/support/switchyard.ts'
import { homeForThisFile } from './support/cli.ts'

vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const receiver = await receiverForThisFile()
const cli = homeForThisFile()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-cli-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let workspace: Workspace

beforeAll(async () => {
  workspace = await switchyard.newWorkspace()
  await cli.login(workspace)
})

describe('events and deliveries', () => {
  test('events tail shows events until it is stopped', async () => {
    const tail = cli.start(['events', 'tail', '--json', '--since', '1h', '--events', 'customer.*'])
    const id = await workspace.aCustomer()
    await vi.waitUntil(() => tail.lines.some((line) => line.includes(id)), { timeout: 15_000 })

    expect(await tail.kill('SIGINT')).toMatchObject({ code: 130, err: '' })
  })

  test('resend shows its plan first, and sends with --yes', async () => {
    const endpoint = await workspace.anEndpoint(receiver.url)
    await workspace.aCustomer()
    await switchyard.settle()
    const [delivery] = await workspace.deliveriesTo(endpoint)
    receiver.clear()

    const plan = await cli.run(['resend', delivery.id, delivery.event_id])
    expect(plan).toMatchObject({
      code: 2,
      err: expect.stringMatching(/customer\.created, delivered[\s\S]*--yes/),
    })
    const sent = await cli.run(['resend', delivery.id, '--yes', '--json'])
    await switchyard.settle()

    expect(sent.json).toMatchObject({
      plan: [{ what: delivery.id, to: endpoint }],
      sent: [{ id: delivery.id }],
    })
    expect(receiver.requests).toHaveLength(1)
    expect(await cli.run(['resend', endpoint, '--yes'])).toMatchObject({ code: 2 })
    await workspace.delete(`/webhook-endpoints/${endpoint}`)
  })

  test('resend --failed counts missed deliveries, and recovers them', async () => {
    receiver.clear()
    const endpoint = await workspace.anEndpoint(receiver.url)
    await workspace.post(`/webhook-endpoints/${endpoint}/disable`)
    await workspace.aCustomer()
    await switchyard.settle()
    await workspace.post(`/webhook-endpoints/${endpoint}/enable`, { recover: 'none' })

    const running = cli.start([
      'resend',
      '--failed',
      '--since',
      '1h',
      '--endpoint',
      endpoint,
      '--yes',
      '--json',
    ])
    const { json, code } = await runWorkerUntilEnded(running.ended)
    await switchyard.settle()

    expect(code).toBe(0)
    expect(json.plan).toEqual([{ what: '1 delivery', to: endpoint, about: receiver.url }])
    expect(receiver.requests).toHaveLength(1)
    await workspace.delete(`/webhook-endpoints/${endpoint}`)
  })

  test('verify checks the signature of a webhook, and says why it is invalid', async () => {
    const {
      body: {
        data: [event],
      },
    } = await workspace.get('/events?limit=1')
    const secret = `whsec_${Buffer.from('a secret of this test').toString('base64')}`
    const { body, headers } = await signWebhook(event, secret)
    const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const verify = (text: string, key = secret) =>
      cli.run(['verify', ...flags], { input: text, env: { SWITCHYARD_WEBHOOK_SECRET: key } })

    expect(await verify(body)).toMatchObject({ code: 0, out: `Valid. ${event.type}  ${event.id}\n` })
    expect(await verify(`${body}\n`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no_match[\s\S]*exactly as received/),
    })
    expect(await verify(body, 'whsec_b3RoZXI=')).toMatchObject({
      code: 1,
      err: expect.stringContaining('(no_match)'),
    })
    expect(await cli.run(['verify', '--secret', secret], { input: body })).toMatchObject({
      code: 1,
      err: expect.stringContaining('(no_header)'),
    })
    const digestOnly = [
      'verify',
      '--secret',
      secret,
      '-H',
      `signature-digest: ${headers['signature-digest']}`,
    ]
    expect(await cli.run(digestOnly, { input: body })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no_header[\s\S]*--signature-digest-only/),
    })
    expect(await cli.run([...digestOnly, '--signature-digest-only'], { input: body })).toMatchObject({
      code: 0,
    })
  })
})

describe('reading', () => {
  test('why explains what happened to a payment', async () => {
    const { body } = await pay()

    const why = await cli.run(['why', body.id])
    const asJson = await cli.run(['why', body.id, '--json'])

    expect(why.out).toMatch(/charged to Visa[\s\S]*succeeded {2}EUR 12\.99[\s\S]*Attempt 1 at/)
    expect(asJson.json.timeline.length).toBeGreaterThan(2)
    expect(await cli.run(['why', 'customer_test_01M7CYVT8DEAKR7XXXYMVW8SS4'])).toMatchObject({ code: 2 })
  })

  test('logs tail shows requests with filters, and traces one to its events', async () => {
    const { headers, body } = await workspace.post('/customers', { name: 'Ada' })
    const requestId = headers.get('request-id') ?? ''
    await workspace.get('/customers/nope')
    const tail = cli.start(['logs', 'tail', '--json', '--errors', '--status', '4xx', '--path', '/customers'])
    await vi.waitUntil(() => tail.lines.length > 0, { timeout: 15_000 })
    const before = tail.lines.length
    await workspace.get('/customers/neither')
    await vi.waitUntil(() => tail.lines.length > before, { timeout: 15_000 })
    await tail.kill('SIGINT')
    expect(new Set(tail.lines).size).toBe(tail.lines.length)

    expect(tail.lines.map((line) => JSON.parse(line).status)).toEqual(tail.lines.map(() => 404))
    const all = cli.start(['logs', 'tail', '--json', '-n', '100'])
    await vi.waitUntil(() => all.lines.length > 2, { timeout: 15_000 })
    await all.kill('SIGINT')
    expect(all.lines.map((line) => JSON.parse(line).path)).not.toContain('/requests')
    const trace = await cli.run(['logs', 'tail', '--follow', requestId, '--json'])
    expect(trace.json).toMatchObject({ request: { id: requestId }, events: [{ type: 'customer.created' }] })
    expect(JSON.parse(trace.json.events[0].data).object.id).toBe(body.id)
  })

  test('open prints the dashboard URL of an object', async () => {
    const id = 'payment_link_test_01M7CYVT8DEAKR7XXXYMVW8SS4'

    expect(await cli.run(['open', id])).toMatchObject({
      code: 0,
      out: `http://localhost:8083/open/${id}\n`,
    })
    const env = { SWITCHYARD_DASHBOARD_URL: 'https://pay.example.com/' }
    expect((await cli.run(['open', id], { env })).out).toBe(`https://pay.example.com/open/${id}\n`)
    expect(await cli.run(['open', 'nonsense'])).toMatchObject({ code: 2 })
  })

  test('search finds objects by e-mail', async () => {
    const { body } = await workspace.post('/customers', { email: 'grace@example.com' })

    expect((await cli.run(['search', 'grace@example.com'])).out).toContain(body.id)
    expect((await cli.run(['search', 'nobody@example.com'])).out).toBe('No results.\n')
  })

  test('doctor reports each check of the installation', async () => {
    const text = await cli.run(['doctor'])
    const { json } = await cli.run(['doctor', '--json'])

    expect(text).toMatchObject({ code: 0, out: expect.stringMatching(/^ok +Database: PostgreSQL 18/m) })
    expect(json.checks.map(({ status }: { status: string }) => status)).not.toContain('fail')
  })
})

test('a test clock is created, advanced and read', async () => {
  const created = await cli.run(['clock', 'create', '--at', '2027-01-01', '--name', 'A year', '--json'])
  const { id } = created.json
  const advanced = await runWorkerUntilEnded(cli.start(['clock', 'advance', id, '--by', '1mo']).ended)

  expect(created.json).toMatchObject({ now_at: '2027-01-01T00:00:00.000Z', name: 'A year' })
  expect(advanced).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${id} is at 2027-02-01 00:00:00: ready.`),
  })
  expect((await cli.run(['clock', 'timeline', id, '--json'])).json).toMatchObject({
    object: 'list',
    data: [],
  })
  expect(await cli.run(['clock', 'advance', id])).toMatchObject({ code: 2 })
  expect(await cli.run(['clock', 'advance', id, '--by', 'soon'])).toMatchObject({ code: 2 })
})

test('a route file is applied, changed, tested, planned and published', async () => {
  const { body: accounts } = await workspace.get('/provider-accounts')
  const [second, first] = accounts.data.map((account: { id: string }) => account.id)
  const file = join(folder, 'route.json')
  const example = {
    name: 'Euros go to the first',
    payment: { amount: 1299, currency: 'eur' },
    expect: { provider_account_id: first },
  }
  const route = {
    name: 'Cards',
    default: { type: 'priority', targets: [first, second] },
    examples: [example],
  }
  const write = (content: object) => writeFileSync(file, JSON.stringify(content))

  write(route)
  expect(await cli.run(['routes', 'apply', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes'),
  })
  const { json: created } = await cli.run(['routes', 'apply', file, '--yes', '--json'])
  expect(created).toMatchObject({ revision: 1, latest_revision: 1 })
  const { id } = JSON.parse(readFileSync(file, 'utf8'))
  expect(id).toBe(created.id)

  write({ ...route, id, default: { type: 'priority', targets: [second, first] } })
  const failing = await cli.run(['routes', 'test', file])
  expect(failing).toMatchObject({ code: 1, out: expect.stringContaining('FAIL  Euros go to the first') })
  expect(failing.out).toContain(`(published route: ${first})`)
  expect(await cli.run(['routes', 'plan', file])).toMatchObject({
    code: 1,
    out: expect.stringContaining('example_failed'),
  })
  expect((await workspace.get(`/payment-routes/${id}`)).body).toMatchObject({ latest_revision: 1 })

  write({ ...route, id, name: 'All cards' })
  const plan = await cli.run(['routes', 'plan', file, '--json'])
  expect(plan.json).toMatchObject({
    publishable: true,
    changes: [{ pointer: '/name', from: 'Cards', to: 'All cards' }],
  })
  expect((await cli.run(['routes', 'apply', file, '--yes', '--json'])).json).toMatchObject({
    revision: 2,
    name: 'All cards',
  })
  expect((await cli.run(['routes', 'apply', file, '--yes'])).out).toBe('No changes.\n')

  expect(await cli.run(['routes', 'pull', id, file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('--force'),
  })
  await cli.run(['routes', 'pull', id, file, '--force'])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ id, name: 'All cards', examples: [example] })
  write({ ...route, rulez: [] })
  expect(await cli.run(['routes', 'plan', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('rulez'),
  })
})

test('a route file can contain account names instead of ids, and keeps them', async () => {
  const { body: accounts } = await workspace.get('/provider-accounts')
  const [second, first] = accounts.data
  const file = join(folder, 'named.json')
  const write = (targets: unknown[], rest: object = {}) =>
    writeFileSync(file, JSON.stringify({ name: 'Named', default: { type: 'priority', targets }, ...rest }))
  const payment = { amount: 1299, currency: 'eur' }
  const expected = { provider_account_id: first.display_name }

  write([first.display_name, second.id], { examples: [{ name: 'Euros', payment, expect: expected }] })
  expect(await cli.run(['routes', 'test', file])).toMatchObject({ code: 0, out: 'ok    Euros\n' })
  const { json: saved } = await cli.run(['routes', 'apply', file, '--yes', '--json'])
  expect(saved.default.targets).toEqual([first.id, second.id])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    id: saved.id,
    default: { targets: [first.display_name, second.id] },
    examples: [{ expect: expected }],
  })
  expect((await cli.run(['routes', 'pull', saved.id, '--names', '--json'])).json.default.targets).toEqual([
    first.display_name,
    second.display_name,
  ])

  write(['Nobody'])
  expect(await cli.run(['routes', 'plan', file])).toMatchObject({
    code: 2,
    err: expect.stringMatching(new RegExp(`"Nobody"[\\s\\S]*"${first.display_name}"`)),
  })
})

test('trigger creates real objects, lists its recipes, and says why an event cannot be triggered', async () => {
  const { json } = await cli.run(['trigger', 'payment.succeeded', '--json'])

  expect(json).toMatchObject({ object: 'event', type: 'payment.succeeded' })
  expect(await cli.run(['trigger', 'subscription.parked'])).toMatchObject({ code: 5 })
  expect(await cli.run(['trigger', 'nothing.happened'])).toMatchObject({ code: 4 })
  expect((await cli.run(['trigger', '--list'])).out).toContain('pay with a good card')
})

test('seed creates no duplicates when it runs again', async () => {
  const first = await runWorkerUntilEnded(cli.start(['seed', '--json']).ended)
  const second = await runWorkerUntilEnded(cli.start(['seed', '--json']).ended)

  expect(first).toMatchObject({ code: 0, out: second.out })
  expect(first.out.trim().split('\n').length).toBeGreaterThan(10)
  await switchyard.settle()
  const { data } = (await workspace.get('/disputes')).body
  const statuses = data.map(({ status }: { status: string }) => status).toSorted()
  const open = ['needs_response', 'needs_response', 'needs_response']
  expect(statuses).toEqual(['closed', 'lost', ...open, 'under_review', 'won'])
})

async function pay() {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  return workspace.post('/payments', { amount: 1299, currency: 'eur', token: token.id })
}

/** Does the work of a worker until the command ends. */
async function runWorkerUntilEnded<Result>(ended: Promise<Result>): Promise<Result> {
  let hasEnded = false
  const result = ended.finally(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    await switchyard.settle()
    await Promise.race([result, new Promise((resolve) => setTimeout(resolve, 200))])
  }
  return result
}
