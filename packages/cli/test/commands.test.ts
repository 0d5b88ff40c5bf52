// Signing in, reading and changing objects, and the behaviour that all commands share.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { generateToken, hashToken } from '../../server/src/domains/access/api-tokens/token.ts'
import { asOwner } from '../../server/test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../server/test/support/switchyard.ts'
import { homeForThisFile } from './support/cli.ts'
import { startLossyProxy } from './support/lossy-proxy.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await switchyardForThisFile()
const cli = homeForThisFile()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-cli-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let workspace: Workspace

/** A token that the directory of another cell lists. */
const tokenOfOtherCell = generateToken('secret', 'test')

beforeAll(async () => {
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query(`insert into control.cells values ('eu2', 'https://api.eu2.example.com',
      'https://test.eu2.example.com', 'https://dashboard.eu2.example.com')`)
    await client.query(`insert into control.cell_keys values ($1, 'eu2')`, [hashToken(tokenOfOtherCell)])
  })
  workspace = await switchyard.newWorkspace()
  await cli.login(workspace)
})

describe('signing in', () => {
  test('the token is saved in a file that only its owner can read, and is never printed', async () => {
    const { token, address } = await switchyard.newWorkspace()

    const login = await cli.run(['login', '--base-url', address, '-p', 'other'], { input: `${token}\n` })
    const whoami = await cli.run(['whoami', '--json', '-p', 'other'])
    const profiles = await cli.run(['switch', 'default'])
    const logout = await cli.run(['logout', '-p', 'other'])

    expect(login).toMatchObject({ code: 0, out: expect.stringContaining('Signed in to A workspace') })
    const file = join(cli.home, '.config/switchyard/config.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(whoami.json).toMatchObject({ mode: 'test', authority: 'ADMIN', workspace_name: 'A workspace' })
    expect(profiles.out).toMatch(/\* {2}default .*\n {3}other/)
    expect(login.out + login.err + whoami.out + profiles.out + logout.out).not.toContain(token)
    expect(await cli.run(['whoami', '-p', 'other'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('login'),
    })
  })

  test('an invalid token is not saved', async () => {
    const { address } = workspace
    const wrong = await cli.run([
      'login',
      '--base-url',
      address,
      '-p',
      'wrong',
      '--token',
      `sk_test_${'x'.repeat(38)}`,
    ])

    expect(wrong).toMatchObject({ code: 3, err: expect.stringMatching(/request_\w+[\s\S]*switchyard login/) })
    expect(readFileSync(join(cli.home, '.config/switchyard/config.json'), 'utf8')).not.toContain('wrong')
  })

  test('a token of another cell is not saved, and the address of its cell is printed', async () => {
    const { address } = workspace

    const wrong = await cli.run(['login', '--base-url', address, '-p', 'wrong', '--token', tokenOfOtherCell])

    expect(wrong).toMatchObject({ code: 3, out: '' })
    expect(wrong.err).toContain(
      'The workspace is in another cell. Send the request to https://test.eu2.example.com.',
    )
    expect(wrong.err).toContain('switchyard login --base-url https://test.eu2.example.com')
  })

  test('two environment variables replace the profile, for CI', async () => {
    const env = { SWITCHYARD_TOKEN: workspace.token, SWITCHYARD_BASE_URL: workspace.address, HOME: folder }

    expect((await cli.run(['whoami', '--json'], { env })).json).toMatchObject({
      workspace_id: workspace.workspaceId,
    })
    expect(await cli.run(['whoami'], { env: { HOME: folder } })).toMatchObject({ code: 3 })
  })

  test('a live workspace requires --live, and its name is printed first', async () => {
    const live = await switchyard.newWorkspace('live')
    await cli.login(live, 'live')
    await cli.run(['switch', 'default'])

    expect(await cli.run(['customers', 'list', '-p', 'live'])).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('--live'),
    })
    const allowed = await cli.run(['customers', 'list', '-p', 'live', '--live'])
    expect(allowed).toMatchObject({ code: 0, out: 'No results.\n' })
    expect(allowed.err).toContain(`LIVE  A workspace  ${live.workspaceId}`)
  })
})

describe('objects', () => {
  test('are listed with filters, and shown by id', async () => {
    const email = 'grace@example.com'
    const id = await workspace.aCustomer({ email, name: 'Grace' })
    await workspace.aCustomer()

    const list = await cli.run(['customers', 'list', '--email', email, '--json'])
    const text = await cli.run(['customers', 'list', '--email', email])
    const shown = await cli.run(['get', id])

    expect(list.json).toMatchObject({ object: 'list', data: [{ id, email }], has_more: false })
    expect(text.out).toMatch(new RegExp(`^ID .*NAME.*EMAIL.*\n${id}  Grace  ${email}`))
    expect(shown.out).toMatch(/^id +customer_test_[\s\S]*\nemail +grace@example.com/)
  })

  test('a limit above the page size joins several pages', async () => {
    const other = await switchyard.newWorkspace()
    await cli.login(other, 'many')
    await cli.run(['switch', 'default'])
    for (let nth = 0; nth < 105; nth += 1) await other.aCustomer()

    const { json } = await cli.run(['customers', 'list', '-n', '103', '--json', '-p', 'many'])

    expect(new Set(json.data.map(({ id }: { id: string }) => id)).size).toBe(103)
  })

  test('an unknown id exits with 4, and the error contains the request id', async () => {
    const id = 'customer_test_01M7CYVT8DEAKR7XXXYMVW8SS4'

    expect(await cli.run(['customers', 'get', id])).toMatchObject({
      code: 4,
      err: expect.stringMatching(/request_test_\w{26}/),
    })
    const jsonError = await cli.run(['customers', 'get', id, '--json'])
    expect(JSON.parse(jsonError.err).error).toMatchObject({
      code: 'not_found',
      request_id: expect.stringMatching(/^request_test_/),
      exit_code: 4,
      next: expect.stringContaining('whoami'),
    })
  })

  test('invalid arguments exit with 2', async () => {
    for (const args of [
      ['customers', 'list', '-n', '0'],
      ['get', 'nonsense'],
      ['nothing'],
      ['customers', 'list', '--since', 'soon'],
    ])
      expect(await cli.run(args), args.join(' ')).toMatchObject({ code: 2, out: '' })
  })

  test('an unreachable server exits with 6', async () => {
    const env = { SWITCHYARD_TOKEN: workspace.token, SWITCHYARD_BASE_URL: 'http://127.0.0.1:1' }

    expect(await cli.run(['customers', 'list'], { env })).toMatchObject({
      code: 6,
      err: expect.stringContaining('npm run dev'),
    })
  })
})

describe('creating and updating', () => {
  test('a request body comes from options, inline JSON, a file or a pipe, and options take precedence', async () => {
    const file = join(folder, 'customer.json')
    writeFileSync(file, JSON.stringify({ name: 'From a file', address: { country: 'GB' } }))
    const create = (args: string[], input?: string) =>
      cli.run(['customers', 'create', '--json', ...args], input === undefined ? {} : { input })

    const [text, json, fromFile, piped] = await Promise.all([
      create([
        '--name',
        'Ada',
        '--email',
        'ada@example.com',
        '--metadata',
        'order=47=11',
        '--metadata',
        'a=b',
      ]),
      create(['--data', '{"name":"JSON","locale":"de"}', '--name', 'Options win']),
      create(['-d', file]),
      create(['-d', '-'], '{"name":"From a pipe"}'),
    ])

    expect(text.json).toMatchObject({ name: 'Ada', metadata: { order: '47=11', a: 'b' } })
    expect(json.json).toMatchObject({ name: 'Options win', locale: 'de' })
    expect(fromFile.json).toMatchObject({ name: 'From a file', address: { country: 'GB' } })
    expect(piped.json).toMatchObject({ name: 'From a pipe' })
  })

  test('update honours --if-match, an empty option clears a member, and delete requires --yes', async () => {
    const id = await workspace.aCustomer({ name: 'Ada', phone: '+442071234567', metadata: { order: '1' } })
    const update = [
      'customers',
      'update',
      id,
      '--json',
      '--name',
      'Countess',
      '--phone',
      '',
      '--metadata',
      'order=',
    ]

    expect((await cli.run([...update, '--if-match', '"1"'])).json).toMatchObject({
      name: 'Countess',
      phone: null,
      metadata: {},
    })
    expect(await cli.run([...update, '--if-match', '"1"'])).toMatchObject({ code: 5 })
    expect(await cli.run(['customers', 'delete', id])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    })
    expect((await cli.run(['customers', 'delete', id, '--yes'])).out).toMatch(/deleted +true/)
  })

  test('the same idempotency key has one effect, and actions take numbers, choices and lists', async () => {
    const create = ['webhook-endpoints', 'create', '--json', '--url', 'https://example.com/hook']
    const members = [
      '--event-types',
      'customer.created,payment.*',
      '--max-in-flight',
      '3',
      '--ordering',
      'object',
    ]

    const [first, second] = [
      await cli.run([...create, ...members, '--idempotency-key', 'an-endpoint']),
      await cli.run([...create, ...members, '--idempotency-key', 'an-endpoint']),
    ]

    expect(first.json).toMatchObject({ event_types: ['customer.created', 'payment.*'], max_in_flight: 3 })
    expect(second.json.id).toBe(first.json.id)
    expect((await cli.run(['webhook-endpoints', 'disable', first.json.id])).out).toMatch(/status +disabled/)
    expect((await cli.run(['webhook-endpoints', 'figures', first.json.id])).code).toBe(0)
  })

  test('an action that cannot be undone asks for confirmation, even if it is not a delete', async () => {
    const draft = { name: 'Cards', default: { type: 'decline' }, draft: true }
    const { body: route } = await workspace.post('/payment-routes', draft)
    const publish = ['payment-routes', 'publish', route.id, '1', '--json']

    expect(await cli.run(publish)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Nothing was changed[\s\S]*--yes/),
    })
    expect((await workspace.get(`/payment-routes/${route.id}`)).body).toMatchObject({ revision: null })
    expect((await cli.run([...publish, '--yes'])).json).toMatchObject({ revision: 1 })
  })

  test('an invalid request lists every invalid member, and an invalid body is not sent', async () => {
    const wrong = await cli.run(['customers', 'create', '--email', 'nobody', '--data', '{"phone":"1"}'])

    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toMatch(/\/email must be an email address[\s\S]*\/phone/)
    const invalidCommands = [
      ['customers', 'create', '--data', '{'],
      ['customers', 'create', '--data', '-'],
      ['customers', 'create', '--metadata', 'order'],
      ['payments', 'create', '--amount', 'much'],
      ['products', 'create', '--name', 'x', '--active', 'maybe'],
    ]
    const results = await Promise.all(invalidCommands.map((args) => cli.run(args, { input: '[]' })))
    expect(results.map(({ code, out }) => [code, out])).toEqual(invalidCommands.map(() => [2, '']))
  })
})

describe('when a response is lost', () => {
  test('a command with an idempotency key prints the key for the retry', async () => {
    const address = await startLossyProxy(workspace.address, (call) => call === 'POST /customers')
    const env = { SWITCHYARD_TOKEN: workspace.token, SWITCHYARD_BASE_URL: address }

    const lost = await cli.run(['customers', 'create', '--name', 'Ada'], { env })

    expect(lost).toMatchObject({
      code: 6,
      err: expect.stringMatching(/Retry it safely with --idempotency-key \S+/),
    })
  })

  test('routes apply takes no idempotency key and says so; the file already has the id of the new route', async () => {
    const address = await startLossyProxy(workspace.address, (call) => call.endsWith('/publish'))
    const env = { SWITCHYARD_TOKEN: workspace.token, SWITCHYARD_BASE_URL: address }
    const file = join(folder, 'lost.json')
    writeFileSync(file, JSON.stringify({ name: 'Lost', default: { type: 'decline' } }))

    const lost = await cli.run(['routes', 'apply', file, '--yes'], { env })

    expect(lost).toMatchObject({
      code: 6,
      err: expect.stringContaining('this command takes no idempotency key'),
    })
    expect(lost.err).not.toContain('--idempotency-key')
    expect(JSON.parse(readFileSync(file, 'utf8')).id).toMatch(/^payment_route_test_/)
    expect(await cli.run(['routes', 'apply', file, '--yes'])).toMatchObject({ code: 0 })
  })
})

test('migrate --plan lists pending migrations, and reports an unreachable database', async () => {
  const settings = {
    DATABASE_URL: switchyard.databaseUrl,
    MASTER_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
  }

  expect(await cli.run(['migrate', '--plan'], { env: settings })).toMatchObject({
    code: 0,
    out: 'Nothing to do.\n',
  })
  const env = { ...settings, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  expect(await cli.run(['migrate', '--plan'], { env })).toMatchObject({
    code: 1,
    err: expect.stringContaining('DATABASE_URL'),
  })
})

test('completion offers commands, options and choices', async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await cli.run(['completion', shell])).out).toContain('switchyard __complete --')
  const completionsOf = async (...text: string[]) =>
    (await cli.run(['__complete', '--', ...text])).out.split('\n')

  expect(await completionsOf('lis')).toEqual(['listen'])
  expect(await completionsOf('routes', '')).toEqual(['apply', 'plan', 'pull', 'test'])
  expect(await completionsOf('listen', '--f')).toEqual(['--fail-rate', '--forward-to'])
  expect(await completionsOf('completion', '')).toEqual(['bash', 'fish', 'zsh'])
  expect(await cli.run(['completion', 'tcsh'])).toMatchObject({ code: 2 })
})

test('output has no colour without a terminal, and help lists the exit codes', async () => {
  const { out } = await cli.run(['customers', 'list'])

  expect(out).not.toContain('\u001b')
  expect(await cli.run(['--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('130  Interrupted by Ctrl-C'),
  })
})
