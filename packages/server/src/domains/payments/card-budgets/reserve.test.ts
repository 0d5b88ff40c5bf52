// Tests how many sequential and concurrent attempts a card allows, against a real PostgreSQL database.

import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import type { Found } from '../../../providers/contract.ts'
import { recordSlotResult, reserveSlot, type Slot } from './service.ts'

const switchyard = await switchyardForThisFile()
const { deps, clock } = switchyard

const visa = { brand: 'visa', country: 'US', bin: '400000', last4: '0000' }
const mastercard = { ...visa, brand: 'mastercard' }
const declinedWith = (networkCode: string, adviceCode?: string): Found => ({
  is: 'declined',
  decline: { code: 'generic_decline', networkCode, ...(adviceCode === undefined ? {} : { adviceCode }) },
})
const approved: Found = { is: 'succeeded', ref: 'r', money: { amount: 100n, currency: 'eur' } }

async function newWorkspace(mode: 'live' | 'test' = 'live') {
  const { workspaceId } = await switchyard.newWorkspace(mode)
  const owner = workspaceId as Id<'workspace'>
  const inUnit = <T>(body: (tx: Tx) => Promise<T>) =>
    transact(deps, systemCaller({ workspaceId: owner, id: owner }), body)
  const newSlot = (tx: Tx, members: Partial<Slot>): Slot => ({
    attemptId: tx.newId('payment_attempt'),
    paymentId: tx.newId('payment'),
    cardKey: 'a card',
    card: visa,
    amount: 100n,
    currency: 'eur',
    initiator: 'customer',
    ...members,
  })
  const reserve = (members: Partial<Slot> = {}) =>
    inUnit(async (tx) => {
      const slot = newSlot(tx, members)
      return { slot, decision: await reserveSlot(tx, slot) }
    })
  const record = (slot: Slot, result: Parameters<typeof recordSlotResult>[2]) =>
    inUnit((tx) => recordSlotResult(tx, slot, result))
  const reserveAndRecord = async (result: Found, members: Partial<Slot> = {}) => {
    const { slot, decision } = await reserve(members)
    if (decision.ok) await record(slot, result)
  }
  return { inUnit, reserve, record, reserveAndRecord }
}

async function countAllowed(
  count: number,
  reserve: () => Promise<{ decision: { ok: boolean } }>,
): Promise<number> {
  const reservations = await Promise.all(Array.from({ length: count }, reserve))
  return reservations.filter(({ decision }) => decision.ok).length
}

test('of fifty concurrent attempts with one card, only as many as the network permits are allowed', async () => {
  const { reserve } = await newWorkspace()
  expect(await countAllowed(50, () => reserve())).toBe(15)
  // Another amount and another card have their own budgets.
  expect(await countAllowed(20, () => reserve({ amount: 200n }))).toBe(15)
  expect(await countAllowed(20, () => reserve({ cardKey: 'another card' }))).toBe(15)
  expect(await countAllowed(50, () => reserve({ cardKey: 'a mastercard', card: mastercard }))).toBe(10)
})

test('merchant-initiated attempts have a lower limit, and a refusal says when the next attempt is allowed', async () => {
  const { reserve } = await newWorkspace()
  const byMerchant = { initiator: 'merchant' as const }
  expect(await countAllowed(8, () => reserve(byMerchant))).toBe(4)
  const until = new Date(Date.parse('2026-11-14T12:00:00.000Z') + 86_400_000)
  expect((await reserve(byMerchant)).decision).toEqual({ ok: false, rule: 'internal_day', until })
  expect((await reserve()).decision).toEqual({ ok: true })
})

test('attempts that the provider rejected, or that were not sent, are not counted', async () => {
  const { reserve, record } = await newWorkspace()
  const byMerchant = { initiator: 'merchant' as const }
  const fault = { code: 'connect_failed', message: 'No.' }
  for (let nth = 0; nth < 6; nth += 1) {
    const { slot, decision } = await reserve(byMerchant)
    expect(decision.ok).toBe(true)
    await record(slot, nth % 2 === 0 ? { is: 'not_sent', fault } : { is: 'rejected', fault })
  }
  expect(await countAllowed(8, () => reserve(byMerchant))).toBe(4)
})

test('an approval resets the count, and a decline that is recorded twice counts once', async () => {
  const { reserve, reserveAndRecord, record } = await newWorkspace()
  const byMerchant = { initiator: 'merchant' as const }
  const { slot } = await reserve(byMerchant)
  for (let nth = 0; nth < 3; nth += 1) await record(slot, declinedWith('51'))
  expect(await countAllowed(8, () => reserve(byMerchant))).toBe(3)

  const other = { ...byMerchant, amount: 7n }
  for (let nth = 0; nth < 3; nth += 1) await reserveAndRecord(declinedWith('51'), other)
  clock.advance({ seconds: 1 })
  await reserveAndRecord(approved, other)
  expect(await countAllowed(8, () => reserve(other))).toBe(4)
})

test('a decline with a do-not-retry code blocks the card, forever or for a month', async () => {
  const workspace = await newWorkspace()
  await workspace.reserveAndRecord(declinedWith('43'))
  const blocked = { ok: false, rule: 'visa_category_1', until: null }
  expect((await workspace.reserve({ amount: 5n })).decision).toEqual(blocked)

  const card = { card: mastercard, cardKey: 'a mastercard' }
  await workspace.reserveAndRecord(declinedWith('05', '03'), card)
  expect((await workspace.reserve({ ...card, amount: 5n })).decision).toMatchObject({
    rule: 'mastercard_never',
  })
  clock.advance({ days: 30 })
  expect((await workspace.reserve({ ...card, amount: 5n })).decision).toEqual({ ok: true })
  expect((await workspace.reserve()).decision).toEqual(blocked)
})

test('a later and shorter block does not shorten an earlier one', async () => {
  const workspace = await newWorkspace()
  const first = await workspace.reserve()
  const second = await workspace.reserve({ card: mastercard })
  await workspace.record(first.slot, declinedWith('43'))
  await workspace.record(second.slot, declinedWith('05', '21'))
  expect((await workspace.reserve()).decision).toMatchObject({ rule: 'visa_category_1', until: null })
})

test('customer-initiated payments in test mode and unrecognizable cards have no limit', async () => {
  const { reserve } = await newWorkspace('test')
  expect(await countAllowed(40, () => reserve())).toBe(40)
  expect(await countAllowed(40, () => reserve({ initiator: 'merchant' }))).toBe(4)
  const live = await newWorkspace()
  expect(await countAllowed(40, () => live.reserve({ cardKey: null }))).toBe(40)
})

test('reservations for different cards do not wait for each other', async () => {
  const { inUnit, reserve } = await newWorkspace()
  const outside = AsyncLocalStorage.snapshot()
  await inUnit(async (tx) => {
    const slot = { attemptId: tx.newId('payment_attempt'), paymentId: tx.newId('payment'), cardKey: 'a card' }
    await reserveSlot(tx, { ...slot, card: visa, amount: 100n, currency: 'eur', initiator: 'customer' })
    // While this transaction locks its card, a slot for another card is reserved and committed.
    const other = await outside(() => reserve({ cardKey: 'another card' }))
    expect(other.decision).toEqual({ ok: true })
  })
})
