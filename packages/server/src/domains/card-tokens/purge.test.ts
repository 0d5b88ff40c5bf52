import { expect, test } from 'vitest'
import { cardsForThisFile, type Owner, opened } from '../../../test/support/cards.ts'
import { uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import { purgeVault } from './service/purge.ts'
import { putCard } from './service/vault.ts'
import { destroyCard, keepCard, useToken } from './service.ts'

const { deps, clock, databaseUrl, settle, newWorkspace, ...cards } = await cardsForThisFile()
const { inUnit, aToken, aUsedToken, reveal, rowsIn } = cards

test('a token that nobody uses goes with its card when it is over', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const id = await aToken(workspace)

  clock.advance({ minutes: 14 })
  await settle()
  expect(await reveal(owner, uuidOf(id))).toMatchObject({ number: opened.number })
  clock.advance({ minutes: 1 })
  await settle()

  expect(await reveal(owner, uuidOf(id))).toBeNull()
  expect(await rowsIn('card_tokens', owner)).toBe(0)
  expect(await rowsIn('vault.security_codes', owner)).toBe(0)
})

test('the card of a payment outlives its token for as long as a payment can be undecided, and no longer', async () => {
  const { owner, cardId } = await aUsedToken()

  for (let day = 0; day < 7; day += 1) {
    clock.advance({ days: 1 })
    await settle()
    expect(await reveal(owner, cardId)).toEqual({ ...opened, cvc: null })
  }
  clock.advance({ days: 1 })
  await settle()

  expect(await reveal(owner, cardId)).toBeNull()
  expect(await rowsIn('card_tokens', owner)).toBe(0)
})

test('a card that is kept stays until it is destroyed, and then goes at once', async () => {
  const { owner, cardId } = await aUsedToken()
  await inUnit(owner, (tx) => keepCard(tx, cardId))

  for (let month = 0; month < 4; month += 1) {
    clock.advance({ days: 30 })
    await settle()
  }
  expect(await reveal(owner, cardId)).toEqual({ ...opened, cvc: null })

  await inUnit(owner, (tx) => destroyCard(tx, cardId))
  await settle()
  expect(await reveal(owner, cardId)).toBeNull()
  // Once more changes nothing.
  await inUnit(owner, (tx) => destroyCard(tx, cardId))
  await settle()
})

test('what is not committed neither keeps nor destroys a card', async () => {
  const [kept, destroyed] = [await aUsedToken(), await aUsedToken()]
  const failing = (owner: Owner, act: (tx: Tx) => Promise<void>) =>
    inUnit(owner, async (tx) => {
      await act(tx)
      throw new Error('Not written.')
    })

  await expect(failing(kept.owner, (tx) => keepCard(tx, kept.cardId))).rejects.toThrow('Not written.')
  await expect(failing(destroyed.owner, (tx) => destroyCard(tx, destroyed.cardId))).rejects.toThrow(
    'Not written.',
  )
  await settle()
  expect(await reveal(destroyed.owner, destroyed.cardId)).not.toBeNull()
  clock.advance({ days: 9 })
  await settle()

  expect(await reveal(kept.owner, kept.cardId)).toBeNull()
})

test('a card that is gone cannot be kept', async () => {
  const { owner, cardId } = await aUsedToken()
  clock.advance({ days: 9 })
  await settle()

  await expect(inUnit(owner, (tx) => keepCard(tx, cardId))).rejects.toThrow('This one is gone.')
})

test('a card whose token was never committed is found by the vault, and goes', async () => {
  const { workspaceId } = await newWorkspace()
  const owner = workspaceId as Owner
  const crash = inUnit(owner, async (tx) => {
    await putCard(deps, tx, tx.newId('token'), { ...opened })
    throw new Error('The process died.')
  })
  await expect(crash).rejects.toThrow('The process died.')
  expect(await rowsIn('vault.cards', owner)).toBe(1)

  clock.advance({ minutes: 74 })
  await settle()
  expect(await rowsIn('vault.cards', owner)).toBe(1)
  clock.advance({ minutes: 1 })
  await settle()

  expect(await rowsIn('vault.cards', owner)).toBe(0)
})

test('while a token is being used its card is not purged, however late that is', async () => {
  const workspace = await newWorkspace()
  const owner = workspace.workspaceId as Owner
  const id = await aToken(workspace)
  const { promise: isUsed, resolve: used } = Promise.withResolvers<void>()
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const payment = inUnit(owner, async (tx) => {
    await useToken(tx, id)
    used()
    await mayCommit
  })
  await isUsed
  // The payment began while the token was good; the purge meets it when it is not, and waits for its end.
  clock.advance({ hours: 2 })
  const purge = purgeVault(deps, { workspaceId: owner, id: owner })
  await waitForLock()
  commit()
  await Promise.all([payment, purge])

  expect(await reveal(owner, uuidOf(id))).toMatchObject({ number: opened.number })
})

/** Until somebody waits for a row of tokens. */
async function waitForLock(): Promise<void> {
  await expect
    .poll(() =>
      asOwner(databaseUrl, async (client) => {
        const { rows } = await client.query(
          `select count(*)::int as waiting from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%card_tokens%'`,
        )
        return rows[0].waiting
      }),
    )
    .toBeGreaterThan(0)
}

test('more than one portion is purged by one piece of work', async () => {
  const { workspaceId } = await newWorkspace()
  const owner = workspaceId as Owner
  await asOwner(databaseUrl, (client) =>
    client.query(
      `insert into card_tokens (workspace_id, id, type, card, fingerprint, expires_at, due_at, created_at)
       select $1, gen_random_uuid(), 'card', '{}', 'x', '2026-11-14', '2026-11-14', '2026-11-14'
       from generate_series(1, 1200)`,
      [uuidOf(owner)],
    ),
  )

  await purgeVault(deps, { workspaceId: owner, id: owner })

  expect(await rowsIn('card_tokens', owner)).toBe(0)
})
