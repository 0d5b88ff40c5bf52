import { expect, test } from 'vitest'
import { cardInput, cardsForThisFile, type Owner, revealedCard } from '../../../../test/support/cards.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { uuidOf } from '../../../kernel/id.ts'
import { createCvcKey } from '../../../platform/db/cvc-keys.ts'
import { asOwner } from '../../../platform/db/owner.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { createKeyring } from '../../../platform/sealed-box/keyring.ts'
import { rotateMasterKey } from '../../../platform/sealed-box/rotation.ts'
import { createSealedBox } from '../../../platform/sealed-box.ts'
import { storeCard } from './service/vault.ts'
import { deleteCvc, revealCard, revealProviderToken, useToken } from './service.ts'

const { deps, config, clock, databaseUrl, settle, newWorkspace, ...cards } = await cardsForThisFile()
const { inTransaction, createToken, createUsedToken, reveal, countRows } = cards

test('a token can be used once, and then refers to its card and its permitted details', async () => {
  const { used, id, owner, cardId } = await createUsedToken()

  expect(used).toEqual({
    id,
    methodType: 'card',
    debit: null,
    accountHolderName: null,
    card: {
      brand: 'visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2030,
      funding: 'credit',
      country: 'US',
      issuer: 'Test Bank',
      bin: '424242',
    },
    fingerprint: expect.stringMatching(/^[\w-]{43}$/),
    vaultCardId: uuidOf(id),
    providerToken: null,
  })
  expect(await reveal(owner, cardId)).toEqual(revealedCard)
})

const notUsable = {
  code: 'reference_not_found',
  members: { errors: [{ pointer: '/token', code: 'not_found', detail: expect.any(String) }] },
}

test('using a used, expired or unknown token, or one of another workspace, fails with the same error', async () => {
  const { owner, id, workspace } = await createUsedToken()
  const foreignToken = await createToken(await newWorkspace())
  const expired = await createToken(workspace)
  const expectNotUsable = async (...texts: string[]) => {
    for (const text of texts)
      await expect(inTransaction(owner, (tx) => useToken(tx, text))).rejects.toMatchObject(notUsable)
  }

  await expectNotUsable(id, foreignToken, 'token_test_01M7CYVGQTEAKSNTBFR026MPQ1', workspace.workspaceId, '')
  clock.advance({ minutes: 15 })
  await expectNotUsable(expired)
})

test('one of many concurrent uses of a token succeeds, and a rolled back use leaves it usable', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const id = await createToken(workspace)
  const failing = inTransaction(owner, async (tx) => {
    await useToken(tx, id)
    throw new Error('The payment could not be written.')
  })
  await expect(failing).rejects.toThrow('could not be written')

  const uses = Array.from({ length: 10 }, () => inTransaction(owner, (tx) => useToken(tx, id)))
  const outcomes = await Promise.allSettled(uses)

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a card number has one fingerprint per workspace', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const fingerprintOf = async (change: object) => {
    const id = await createToken(workspace, change)
    return (await inTransaction(owner, (tx) => useToken(tx, id))).fingerprint
  }

  const first = await fingerprintOf({})
  const again = await fingerprintOf({ number: '4242-4242-4242-4242', exp_year: 2032, name: 'A. Lovelace' })
  const other = await fingerprintOf({ number: '5555555555554444' })
  const { used: inOtherWorkspace } = await createUsedToken()

  expect(again).toBe(first)
  expect(new Set([first, other, inOtherWorkspace.fingerprint]).size).toBe(3)
})

test('a CVC is deleted when the payment ends, and after 15 minutes at the latest', async () => {
  const [ended, pending] = [await createUsedToken(), await createUsedToken()]

  await deleteCvc(deps, ended.owner, ended.cardId)
  clock.advance({ minutes: 14 })
  expect(await reveal(ended.owner, ended.cardId)).toEqual({ ...revealedCard, cvc: null })
  expect(await reveal(pending.owner, pending.cardId)).toEqual(revealedCard)

  clock.advance({ minutes: 1 })
  // The purge has not run yet.
  expect(await reveal(pending.owner, pending.cardId)).toEqual({ ...revealedCard, cvc: null })
  expect(await countRows('vault.security_codes', pending.owner)).toBe(1)
  await settle()
  expect(await countRows('vault.security_codes', pending.owner)).toBe(0)
  expect(await reveal(pending.owner, pending.cardId)).toEqual({ ...revealedCard, cvc: null })
})

test('without its key a CVC cannot be opened, but the card can', async () => {
  const { owner, cardId } = await createUsedToken()

  // A crash of the database empties the unlogged key tables.
  await asOwner(databaseUrl, (client) =>
    client.query('truncate vault.code_keys_0, vault.code_keys_1, vault.code_keys_2'),
  )

  expect(await reveal(owner, cardId)).toEqual({ ...revealedCard, cvc: null })
})

test('a provider token is stored encrypted, and decrypted only to send it', async () => {
  const { post, workspaceId } = await newWorkspace()
  const owner = workspaceId as Owner
  const config = { base_url: 'https://psp.example.com' }
  const { body: account } = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Ours',
    config,
  })
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const { body: token } = await post('/tokens', {
    type: 'provider_token',
    provider_token: { provider_account_id: account.id, token: 'tok_secret', card: card },
  })

  const used = await inTransaction(owner, (tx) => useToken(tx, token.id))

  expect(used).toMatchObject({
    vaultCardId: null,
    fingerprint: null,
    providerToken: { providerAccountId: account.id },
  })
  expect(await revealProviderToken(deps, owner, token.id)).toBe('tok_secret')
  clock.advance({ days: 9 })
  await settle()
  expect(await revealProviderToken(deps, owner, token.id)).toBeNull()
})

test('a sealed card cannot be opened in another row or workspace', async () => {
  const [used, other] = [
    await createUsedToken(),
    await createUsedToken({ number: '5555555555554444', cvc: '999' }),
  ]
  await asOwner(databaseUrl, (client) =>
    client.query(
      'update vault.cards as a set sealed = b.sealed from vault.cards as b where a.id = $1 and b.id = $2',
      [used.cardId, other.cardId],
    ),
  )

  await expect(reveal(used.owner, used.cardId)).rejects.toThrow('was changed, or sealed for another location')
  expect(await reveal(other.owner, used.cardId)).toBeNull()
})

test('a sealed CVC cannot be opened with another card', async () => {
  const [used, other] = [await createUsedToken(), await createUsedToken({ cvc: '999' })]
  await asOwner(databaseUrl, (client) =>
    client.query(
      'update vault.security_codes as a set sealed = b.sealed from vault.security_codes as b where a.card_id = $1 and b.card_id = $2',
      [used.cardId, other.cardId],
    ),
  )

  await expect(reveal(used.owner, used.cardId)).rejects.toThrow('was changed, or sealed for another location')
})

test('cards and fingerprints are unchanged by a rotation of the master key', async () => {
  const { workspace, owner, cardId, used } = await createUsedToken()
  const [older] = config.masterKeys
  const newer = { id: 'newer', key: Buffer.alloc(32, 'n') }
  if (older === undefined) throw new Error('The configuration must contain a master key.')

  const callbacks = { onProgress: () => {}, onFault: (sentence: string) => expect.unreachable(sentence) }
  expect(await rotateMasterKey(deps.databases, createKeyring([newer, older]), callbacks)).toBe(0)
  const rotated = { ...deps, sealedBox: createSealedBox([newer]) }

  expect(await revealCard(rotated, owner, cardId)).toEqual(revealedCard)
  const again = await transact(rotated, systemCaller({ workspaceId: owner, id: owner }), (tx) =>
    storeCard(rotated, tx, tx.newId('token'), { ...revealedCard }),
  )
  expect(again).toBe(used.fingerprint)
  // Rotate back to the key that the server of this test file uses.
  expect(await rotateMasterKey(deps.databases, createKeyring([older, newer]), callbacks)).toBe(0)
  expect((await workspace.post('/tokens', { type: 'card', card: cardInput })).status).toBe(201)
})

test('concurrent requests for the CVC key of a half hour get the same key', async () => {
  const owner = (await newWorkspace()).workspaceId as Owner
  const vault = deps.databases.of(owner)

  const keys = await Promise.all(
    Array.from({ length: 12 }, () => vault.inVault(owner, (db) => createCvcKey(db, 30_000))),
  )

  expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(1)
})
