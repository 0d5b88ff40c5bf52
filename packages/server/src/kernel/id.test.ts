import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  controlKinds,
  idFromUuid,
  idMaker,
  type Kind,
  kinds,
  type Mode,
  modeOf,
  parseId,
  randomSlot,
  slotOf,
  timeOf,
  uuidFloor,
  uuidFromText,
  uuidOf,
} from './id.ts'

const allKinds: readonly Kind[] = [...kinds, ...controlKinds]
const modes: readonly Mode[] = ['live', 'test']
const kindsAndModes = allKinds.flatMap((kind) => modes.map((mode) => ({ kind, mode })))
const uuids = fc.uuid({ version: [1, 4, 7] })

const noon = new Date('2026-11-14T12:00:00.250Z')
const uuid = '01a1d9ed-c2fa-72a7-9ae9-6fc0046a5ae1'
const characters = '01M7CYVGQTEAKSNTBFR026MPQ1'

describe('ids and UUIDs', () => {
  test('a published id is parsed, including its timestamp', () => {
    const id = parseId('event', 'test', `event_test_${characters}`)
    expect(id).toBe(`event_test_${characters}`)
    expect(uuidFromText('event', 'test', `event_test_${characters}`)).toBe(uuid)
    expect(msOf(uuid)).toBe(noon.getTime())
  })

  test.each(kindsAndModes)(
    '$kind in $mode: an id converts back to the UUID it was made from',
    ({ kind, mode }) => {
      fc.assert(
        fc.property(uuids, (uuid) => {
          const id = idFromUuid(kind, mode, uuid)
          expect(uuidFromText(kind, mode, id)).toBe(uuid)
          expect(uuidOf(id)).toBe(uuid)
          expect(parseId(kind, mode, id)).toBe(id)
        }),
      )
    },
  )

  test.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    'the extreme UUID %s survives a round trip',
    (uuid) => {
      expect(uuidFromText('event', 'live', idFromUuid('event', 'live', uuid))).toBe(uuid)
    },
  )

  test('ids sort like their UUIDs', () => {
    fc.assert(
      fc.property(uuids, uuids, (a, b) => {
        const [idA, idB] = [idFromUuid('event', 'live', a), idFromUuid('event', 'live', b)]
        expect(idA < idB).toBe(a < b)
      }),
    )
  })

  test('only ids of objects in a workspace show the test mode', () => {
    for (const kind of kinds) {
      expect(idFromUuid(kind, 'test', uuid)).toBe(`${kind}_test_${characters}`)
      expect(idFromUuid(kind, 'live', uuid)).toBe(`${kind}_${characters}`)
    }
    for (const kind of controlKinds) {
      for (const mode of modes) expect(idFromUuid(kind, mode, uuid)).toBe(`${kind}_${characters}`)
    }
  })

  test.each(kinds)('the mode of a %s is read from its id', (kind) => {
    expect(modes.map((mode) => modeOf(idFromUuid(kind, mode, uuid)))).toEqual(modes)
  })
})

describe('parsing', () => {
  test('the characters may be in either case and are normalized to upper case', () => {
    const canonical = `customer_${characters}`
    expect(parseId('customer', 'live', `customer_${characters.toLowerCase()}`)).toBe(canonical)
    expect(parseId('customer', 'live', 'customer_01m7CYVGQTEAKSNTBFR026mpq1')).toBe(canonical)
  })

  // biome-ignore format: a table.
  test.each([
    ['no kind',                     characters],
    ['another kind',                `event_${characters}`],
    ['a kind in upper case',        `CUSTOMER_${characters}`],
    ['a kind that begins the same', `customer_note_${characters}`],
    ['a kind that ends the same',   `old_customer_${characters}`],
    ['the other mode',              `customer_test_${characters}`],
    ['a character too few',         `customer_${characters.slice(1)}`],
    ['a character too many',        `customer_0${characters}`],
    ['an I',                        `customer_${characters.slice(0, -1)}I`],
    ['an L',                        `customer_${characters.slice(0, -1)}L`],
    ['an O',                        `customer_${characters.slice(0, -1)}O`],
    ['a U',                         `customer_${characters.slice(0, -1)}U`],
    ['a small u',                   `customer_${characters.slice(0, -1)}u`],
    ['a long s, whose upper case is S', `customer_${characters.slice(0, -1)}ſ`],
    ['a hyphen',                    `customer-${characters}`],
    ['a space in front',            ` customer_${characters}`],
    ['a line feed at the end',      `customer_${characters}\n`],
    ['the uuid itself',             uuid],
    ['nothing',                     ''],
    ['129 bits',                    `customer_8${characters.slice(1)}`],
    ['130 bits',                    `customer_${'Z'.repeat(26)}`],
  ])('a string with %s is not a customer id', (_name, text) => {
    expect(parseId('customer', 'live', text)).toBeNull()
    expect(uuidFromText('customer', 'live', text)).toBeNull()
  })

  test('a live id is not valid in the test environment', () => {
    expect(parseId('customer', 'test', `customer_${characters}`)).toBeNull()
  })

  test('no id of one kind and mode is accepted as another', () => {
    const exampleOf = ({ kind, mode }: (typeof kindsAndModes)[number]) => idFromUuid(kind, mode, uuid)
    const confused = kindsAndModes.flatMap((original) =>
      kindsAndModes
        .filter((other) => exampleOf(other) !== exampleOf(original))
        .filter((other) => parseId(other.kind, other.mode, exampleOf(original)) !== null)
        .map((other) => `${exampleOf(original)} as ${other.kind} in ${other.mode}`),
    )
    expect(confused).toEqual([])
  })

  test('a kind whose name starts with another kind is not confused with it', () => {
    expect(parseId('request', 'live', `request_log_${characters}`)).toBeNull()
    expect(parseId('request', 'test', `request_log_test_${characters}`)).toBeNull()
    expect(parseId('request', 'test', `request_test_log_${characters}`)).toBeNull()
  })

  test('no kind ends in "test", because its live ids would look like ids of the test environment', () => {
    expect(allKinds.filter((kind) => !/^[a-z]+(_[a-z]+)*$/.test(kind) || /(^|_)test$/.test(kind))).toEqual([])
  })
})

describe('creating ids', () => {
  test('ten thousand ids of one unit of work strictly increase and keep its timestamp, slot, version and variant', () => {
    const newId = idMaker(noon, 0xabc)
    const ids = Array.from({ length: 10_000 }, newId)

    const notIncreasing = ids.filter((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))
    expect(notIncreasing).toEqual([])
    const malformed = ids.filter((id) => !/^01a1d9ed-c2fa-7abc-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))
    expect(malformed).toEqual([])
  })

  test('the timestamp and the slot can be read from the id', () => {
    const instants = fc.date({
      min: new Date(0),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 4095 }), (at, slot) => {
        const created = idMaker(at, slot)()
        expect(msOf(created)).toBe(at.getTime())
        expect(slotOf(idFromUuid('workspace', 'live', created))).toBe(slot)
        expect(slotOf(idFromUuid('workspace', 'test', created))).toBe(slot)
      }),
    )
  })

  test('two units of work with the same timestamp and slot do not create the same ids', () => {
    const [first, second] = [idMaker(noon, 1), idMaker(noon, 1)].map((newId) =>
      Array.from({ length: 100 }, newId),
    )
    expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(200)
  })

  test('a random slot is within range', () => {
    const slots = Array.from({ length: 1000 }, randomSlot)
    expect(slots.filter((slot) => !Number.isInteger(slot) || slot < 0 || slot > 4095)).toEqual([])
    expect(new Set(slots).size).toBeGreaterThan(500)
  })

  test.each([-1, 4096])('slot %d fails an assertion', (slot) => {
    expect(() => idMaker(noon, slot)).toThrow('A slot must be chosen with randomSlot')
  })
})

describe('the smallest UUID of an instant', () => {
  test('it is at or below every id of its millisecond, and above every id of the previous one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 47 }), fc.integer({ min: 0, max: 4095 }), (ms, slot) => {
        const floor = uuidFloor(new Date(ms))
        expect(floor <= idMaker(new Date(ms), slot)()).toBe(true)
        expect(floor > idMaker(new Date(ms - 1), slot)()).toBe(true)
      }),
    )
  })

  test('an id contains the time of the unit of work that created it', () => {
    expect(timeOf(idFromUuid('event', 'test', idMaker(noon, 7)()))).toEqual(noon)
  })

  test('before 1970 it is the smallest UUID', () => {
    expect(uuidFloor(new Date('1900-01-01T00:00:00Z'))).toBe('00000000-0000-0000-0000-000000000000')
  })
})

function msOf(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
}
