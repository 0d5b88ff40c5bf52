// Who is let in: providers whose every unknown outcome can come to an end, and who can do what they say.

import { expect, test } from 'vitest'
import type { Provider, Resolution } from './contract.ts'
import { aManifest } from './custom/fixtures/accounts.ts'
import { custom, simulator } from './custom/provider.ts'
import { customTerms, everything } from './custom/terms.ts'
import { faultOf, registry, registryOf } from './registry.ts'
import { faultOfTerms, termsOf } from './terms.ts'

const nothing: Resolution = { replayHours: 0, lookup: 'none', close: false, absentIsFinalAfterMinutes: null }
const without3ds = { ...everything, threeDSecure: false }
const less = (changes: Partial<Provider>): Provider => ({ ...custom, ...changes }) as Provider

test('the providers of this installation are in, by their ids', () => {
  expect([...registry.keys()]).toEqual(['custom', 'simulator'])
  expect(registry.get('simulator')).toBe(simulator)
})

// biome-ignore format: a table.
test.each<[string, Partial<Resolution>, boolean, RegExp | null]>([
  ['nothing',              {},                                                       false, /could never end/],
  ['replay',               { replayHours: 24 },                                      false, null],
  ['lookup',               { lookup: 'reference' },                                  false, null],
  ['lookup by their id',   { lookup: 'provider_id' },                                false, null],
  ['close',                { close: true },                                          false, null],
  ['nothing, and 3DS',     {},                                                       true,  /could never end/],
  ['replay, and 3DS',      { replayHours: 24 },                                      true,  /3DS/],
  ['lookup, and 3DS',      { lookup: 'reference' },                                  true,  null],
  ['close, and 3DS',       { close: true },                                          true,  null],
  ['final after an hour',  { lookup: 'reference', absentIsFinalAfterMinutes: 60 },   false, null],
  ['final after less',     { lookup: 'reference', absentIsFinalAfterMinutes: 59 },   false, /an hour/],
  ['final without lookup', { close: true, absentIsFinalAfterMinutes: 90 },           false, /lookup/],
])('with %s', (_, changes, threeDSecure, fault) => {
  const capabilities = { ...everything, threeDSecure }
  const found = faultOfTerms({ capabilities, resolve: { ...nothing, ...changes } })

  if (fault === null) expect(found).toBeNull()
  else expect(found).toMatch(fault)
})

const { lookup: _, ...withoutLookup } = custom
const { close: __, ...withoutClose } = custom
const { complete: ___, ...withoutComplete } = custom

// biome-ignore format: a table.
test.each<[string, Provider, RegExp]>([
  ['a kind',        less({ operations: {} }),            /can verify, authorize, capture, void, refund/],
  ['a lookup',      withoutLookup as Provider,           /looked up/],
  ['a close',       withoutClose as Provider,            /can close/],
  ['a completion',  withoutComplete as Provider,         /3DS/],
  ['a way to end',  less({ resolve: nothing, capabilities: without3ds }), /could never end/],
])('a provider that announces more than it has is refused: %s', (_, provider, fault) => {
  expect(faultOf(provider)).toMatch(fault)
  expect(() => registryOf([provider])).toThrow(fault)
})

test('two of one name are refused', () => {
  expect(() => registryOf([custom, custom])).toThrow('Two providers are called custom.')
})

test('an account may have fewer terms than its provider, as its manifest or its settings say', () => {
  const base = { base_url: 'https://psp.example.com', secrets: ['psec_0123456789abcdef'] }
  const manifest = aManifest({ features: { lookup: false, close: true, complete: false, tokens: false } })

  expect(termsOf(custom, base)).toEqual({ capabilities: everything, resolve: custom.resolve })
  expect(termsOf(custom, { ...base, manifest })).toMatchObject({
    capabilities: { threeDSecure: false, currencies: ['eur', 'jpy', 'kwd'] },
    resolve: { lookup: 'none', close: true },
  })
  const { features } = manifest
  const again = aManifest({ features: { ...features, replay: false } })
  expect(termsOf(custom, { ...base, manifest: again })).toMatchObject({ resolve: { replayHours: 0 } })
  expect(termsOf(simulator, { ...base, replay: false, close: false })).toMatchObject({
    resolve: { replayHours: 0, lookup: 'reference', close: false, absentIsFinalAfterMinutes: 60 },
  })
  // The rule of registration is asked again for the account.
  const blind = termsOf(simulator, { ...base, replay: false, close: false, lookup: false })
  expect(faultOfTerms(blind)).toMatch(/could never end/)
  const { narrow: ____, ...plain } = custom
  expect(termsOf(plain as Provider, base)).toEqual(customTerms(base))
})
