import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Id, idFromUuid, type Mode, type Ref, slotOf } from '../../kernel/id.ts'
import { parseWorkSubject, timerSubject, workFilter, workSubject } from './subjects.ts'

const work = { name: 'customer.expire', objectKind: 'customer' } as const

const refs = fc.record({
  workspace: fc.uuid(),
  object: fc.uuid(),
  mode: fc.constantFrom<Mode>('live', 'test'),
})
const refOf = ({
  workspace,
  object,
  mode,
}: {
  workspace: string
  object: string
  mode: Mode
}): Ref<'customer'> => ({
  workspaceId: idFromUuid('workspace', mode, workspace),
  id: idFromUuid('customer', mode, object),
})

const ref = refOf({
  workspace: '019a0000-0000-7abc-8000-000000000001',
  object: '019a0000-0000-7abc-8000-000000000002',
  mode: 'test',
})
const subject = workSubject(work.name, ref)

test('a subject survives a round trip', () => {
  fc.assert(
    fc.property(refs, (parts) => {
      expect(parseWorkSubject(work, workSubject(work.name, refOf(parts)))).toEqual(refOf(parts))
    }),
  )
})

test('a subject contains the work, the slot, the workspace and the object', () => {
  expect(subject).toBe(`work.customer.expire.${0xabc}.${ref.workspaceId}.${ref.id}`)
  expect(timerSubject(work.name, ref)).toBe(subject.replace('work.', 'timer.'))
  expect(workFilter(work.name)).toBe('work.customer.expire.>')
})

test('the subject of a timer is not parsed as work', () => {
  expect(parseWorkSubject(work, timerSubject(work.name, ref))).toBeNull()
})

const event = idFromUuid('event', 'test', '019a0000-0000-7abc-8000-000000000002')
const live = idFromUuid('customer', 'live', '019a0000-0000-7abc-8000-000000000002')
const prefix = `${slotOf(ref.workspaceId)}.${ref.workspaceId}`

// biome-ignore format: a table.
test.each([
  { name: 'no content',                  text: '' },
  { name: 'another work type',           text: workSubject('customer.other', ref) },
  { name: 'no id',                       text: `work.customer.expire.${prefix}` },
  { name: 'more than an id',             text: `${subject}.more` },
  { name: 'an id of another kind',       text: `work.customer.expire.${prefix}.${event}` },
  { name: 'an id of another mode',       text: `work.customer.expire.${prefix}.${live}` },
  { name: 'another slot',                text: subject.replace(`.${0xabc}.`, `.${0xabd}.`) },
  { name: 'a slot in another spelling',  text: subject.replace(`.${0xabc}.`, `.0${0xabc}.`) },
  { name: 'an id in another spelling',   text: subject.toLowerCase() },
  { name: 'an id that is too long',      text: `${subject}0` },
  { name: 'letters that ids do not use', text: `${subject.slice(0, -1)}U` },
  { name: 'an id that is a path',        text: `work.customer.expire.${prefix}.../etc/passwd` },
])('a subject with $name is rejected', ({ text }) => {
  expect(parseWorkSubject(work, text)).toBeNull()
})

test('parsing any other text returns null and does not throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.array(fc.string(), { maxLength: 6 }), (text, tokens) => {
      expect(parseWorkSubject(work, text)).toBeNull()
      expect(parseWorkSubject(work, `work.customer.expire.${tokens.join('.')}`)).toBeNull()
    }),
  )
})

test('the parsed ids are valid ids', () => {
  const id: Id<'customer'> | undefined = parseWorkSubject(work, subject)?.id
  expect(id).toBe(ref.id)
})
