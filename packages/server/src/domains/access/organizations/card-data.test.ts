import { expect, test } from 'vitest'
import { tablesContaining } from '../../../../test/support/database-search.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { confirmation } from '../../payments/card-tokens/vault.ts'

const switchyard = await switchyardForThisFile({ environment: { VAULT_LIVE: 'true' } })

const apiKey = 'key_N88mVGsp3sCXkykyN2EFED'
const basisTheory = { provider: 'basis_theory', config: { api_key: apiKey } }
const shownVault = { provider: 'basis_theory', emulated: false, config: {}, secrets: ['api_key'] }
const card = { type: 'card', card: { number: '4242424242424242', exp_month: 12, exp_year: 2030 } }
const session = { amount: 1000, currency: 'eur' }

test('a live workspace uses fields of providers by default, and a test workspace the test cards', async () => {
  const live = await switchyard.newWorkspace('live')
  const sandbox = await switchyard.newWorkspace()

  expect((await live.get('/workspace')).body.card_data).toEqual({ mode: 'provider_fields', vault: null })
  expect((await sandbox.get('/workspace')).body.card_data).toEqual({ mode: 'own_vault', vault: null })
  expect(await sandbox.post('/tokens', card)).toMatchObject({ status: 201 })
})

test('a vault is configured with its secrets, which are encrypted, never shown, and kept if they are omitted', async () => {
  const { put, get } = await switchyard.newWorkspace('live')

  const changed = await put('/workspace', { card_data: { mode: 'external_vault', vault: basisTheory } })
  const repeated = await put('/workspace', {
    card_data: { mode: 'external_vault', vault: { provider: 'basis_theory' } },
  })

  expect(changed).toMatchObject({
    status: 200,
    body: { card_data: { mode: 'external_vault', vault: shownVault } },
  })
  expect(repeated.headers.get('etag')).toBe(changed.headers.get('etag'))
  expect(JSON.stringify((await get('/workspace')).body)).not.toContain(apiKey)
  await switchyard.flushRequestLog()
  expect(await tablesContaining(switchyard.databaseUrl, apiKey)).toEqual([])
})

test('a change of the mode is recorded in the audit log, without secrets', async () => {
  const { put, get } = await switchyard.newWorkspace('live')

  await put('/workspace', { card_data: { mode: 'external_vault', vault: basisTheory } })
  await put('/workspace', { name: 'Renamed', card_data: { mode: 'provider_fields' } })

  const { data } = (await get('/audit-entries')).body
  const changes = data.filter(({ act }: { act: string }) => act === 'workspace.card_data_changed')
  expect(changes.map(({ details }: { details: object }) => details)).toEqual([
    {
      mode: 'provider_fields',
      previous_mode: 'external_vault',
      vault: 'basis_theory',
      previous_vault: 'basis_theory',
    },
    {
      mode: 'external_vault',
      previous_mode: 'provider_fields',
      vault: 'basis_theory',
      previous_vault: null,
    },
  ])
})

test('only an ADMIN can change the mode', async () => {
  const workspace = await switchyard.newWorkspace()

  const refused = await workspace.put(
    '/workspace',
    { card_data: { mode: 'provider_fields' } },
    { token: await workspace.tokenFor('DEVELOPER') },
  )

  expect(refused).toMatchObject({ status: 403 })
})

test.each([
  [{ mode: 'external_vault' }, '/card_data/vault'],
  [{ vault: { provider: 'basis_theory', config: {} } }, '/card_data/vault/config/api_key'],
  [{ vault: { provider: 'basis_theory', config: { api_key: 'a b' } } }, '/card_data/vault/config/api_key'],
  [
    { vault: { provider: 'basis_theory', config: { api_key: apiKey, region: 'eu' } } },
    '/card_data/vault/config/region',
  ],
  [{ vault: { provider: 'basis_theory', emulated: true } }, '/card_data/vault/emulated'],
  [{ vault: { provider: 'keepsafe' } }, '/card_data/vault/provider'],
  [{ mode: 'external_vault', vault: null }, '/card_data/vault'],
])('%j is rejected with an error at %s', async (card_data, pointer) => {
  const { put, get } = await switchyard.newWorkspace('live')

  const { status, body } = await put('/workspace', { card_data })

  expect(status).toBe(400)
  expect(body.errors[0].pointer).toBe(pointer)
  expect(JSON.stringify(body)).not.toContain(apiKey)
  expect((await get('/workspace')).body.card_data).toEqual({ mode: 'provider_fields', vault: null })
})

test('the confirmation selects the vault of Switchyard, and another mode rejects card numbers again', async () => {
  const { put, get, post, tokenFor } = await switchyard.newWorkspace('live')
  const page = { token: await tokenFor('publishable') }
  const refused = { status: 403, body: { code: 'raw_cards_disabled' } }
  expect(await post('/tokens', card, page)).toMatchObject(refused)

  await post('/vault/confirm', { confirmation })
  expect((await get('/workspace')).body.card_data.mode).toBe('own_vault')
  expect(await post('/tokens', card, page)).toMatchObject({ status: 201 })
  expect(await post('/checkout-sessions', session)).toMatchObject({ status: 201 })

  await put('/workspace', { card_data: { mode: 'provider_fields' } })
  expect(await post('/tokens', card, page)).toMatchObject(refused)
  expect(await post('/checkout-sessions', session)).toMatchObject({
    status: 403,
    body: { code: 'raw_cards_disabled', detail: expect.stringContaining('card_data.mode') },
  })
})

test('a confirmation does not change a mode that was selected before', async () => {
  const { put, get, post } = await switchyard.newWorkspace('live')
  await put('/workspace', { card_data: { mode: 'provider_fields' } })

  await post('/vault/confirm', { confirmation })

  expect((await get('/workspace')).body.card_data.mode).toBe('provider_fields')
  expect((await get('/vault')).body.status).toBe('disabled')
})

test('a test workspace that collects cards elsewhere rejects card numbers as well', async () => {
  const { put, post } = await switchyard.newWorkspace()
  await put('/workspace', {
    card_data: { mode: 'external_vault', vault: { provider: 'vgs', emulated: true } },
  })

  expect(await post('/tokens', card)).toMatchObject({ status: 403, body: { code: 'raw_cards_disabled' } })
})
