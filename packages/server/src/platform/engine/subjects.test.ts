import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Id, idFromUuid, type Mode, type Ref, slotOf } from '../../kernel/id.ts'
import { parseWorkSubject, timerSubject, workFilter, workSubject } from './subjects.ts'

const work = { name: 'customer.expire', key: 'customer' } as const

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

test('what was written is what is read', () => {
  fc.assert(
    fc.property(refs, (parts) => {
      expect(parseWorkSubject(work, workSubject(work.name, refOf(parts)))).toEqual(refOf(parts))
    }),
  )
})

test('a subject names the work, the slot, the workspace and the object', () => {
  expect(subject).toBe(`work.customer.expire.${0xabc}.${ref.workspaceId}.${ref.id}`)
  expect(timerSubject(work.name, ref)).toBe(subject.replace('work.', 'timer.'))
  expect(workFilter(work.name)).toBe('work.customer.expire.>')
})

test('a timer is not work', () => {
  expect(parseWorkSubject(work, timerSubject(work.name, ref))).toBeNull()
})

const event = idFromUuid('event', 'test', '019a0000-0000-7abc-8000-000000000002')
const live = idFromUuid('customer', 'live', '019a0000-0000-7abc-8000-000000000002')
const place = `${slotOf(ref.workspaceId)}.${ref.workspaceId}`

// biome-ignore format: a table.
test.each([
  { what: 'nothing',                     text: '' },
  { what: 'another work',                text: workSubject('customer.other', ref) },
  { what: 'no id',                       text: `work.customer.expire.${place}` },
  { what: 'more than an id',             text: `${subject}.more` },
  { what: 'an id of another kind',       text: `work.customer.expire.${place}.${event}` },
  { what: 'an id of another mode',       text: `work.customer.expire.${place}.${live}` },
  { what: 'another slot',                text: subject.replace(`.${0xabc}.`, `.${0xabd}.`) },
  { what: 'a slot in another spelling',  text: subject.replace(`.${0xabc}.`, `.0${0xabc}.`) },
  { what: 'an id in another spelling',   text: subject.toLowerCase() },
  { what: 'an id that is too long',      text: `${subject}0` },
  { what: 'letters that ids do not use', text: `${subject.slice(0, -1)}U` },
  { what: 'an id that is a path',        text: `work.customer.expire.${place}.../etc/passwd` },
])('$what is not read', ({ text }) => {
  expect(parseWorkSubject(work, text)).toBeNull()
})

test('whatever else comes is not read, and does not throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.array(fc.string(), { maxLength: 6 }), (text, tokens) => {
      expect(parseWorkSubject(work, text)).toBeNull()
      expect(parseWorkSubject(work, `work.customer.expire.${tokens.join('.')}`)).toBeNull()
    }),
  )
})

test('the ids that come back are ids', () => {
  const id: Id<'customer'> | undefined = parseWorkSubject(work, subject)?.id
  expect(id).toBe(ref.id)
})
