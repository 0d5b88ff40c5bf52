/**
 * What a message is called. The subject is all it says: which work, which workspace, which object. One
 * message per subject is kept, so an id that is published twice waits once. Anybody with access to the
 * engine may publish anything; what does not read exactly like one of ours is not read at all.
 */
import { type Id, type Kind, type Mode, parseId, type Ref, slotOf } from '../../kernel/id.ts'
import type { WorkName } from './work.ts'

export const subjectsOfStream = ['work.>', 'timer.>']

export function workSubject(work: WorkName, ref: Ref): string {
  return `work.${placeOf(work, ref)}`
}

/** A timer waits under its own name, so that it never hides work that is due already. */
export function timerSubject(work: WorkName, ref: Ref): string {
  return `timer.${placeOf(work, ref)}`
}

/** All messages of one work, and of no other. */
export function workFilter(work: WorkName): string {
  return `work.${work}.>`
}

/** What a message of this work is about; null if we would not have written its subject. */
export function parseWorkSubject<K extends Kind>(
  work: { readonly name: WorkName; readonly key: K },
  subject: string,
): Ref<K> | null {
  const prefix = `work.${work.name}.`
  if (!subject.startsWith(prefix)) return null
  const [slot, workspaceText, idText, ...rest] = subject.slice(prefix.length).split('.')
  if (workspaceText === undefined || idText === undefined || rest.length > 0) return null
  const found =
    parseRef(work.key, 'live', workspaceText, idText) ?? parseRef(work.key, 'test', workspaceText, idText)
  return found !== null && slot === String(slotOf(found.workspaceId)) ? found : null
}

/** The slot stands first: tomorrow a shard's stream takes its range of slots. */
function placeOf(work: WorkName, ref: Ref): string {
  return `${work}.${slotOf(ref.workspaceId)}.${ref.workspaceId}.${ref.id}`
}

function parseRef<K extends Kind>(kind: K, mode: Mode, workspaceText: string, idText: string): Ref<K> | null {
  const workspaceId = parseExactly('workspace', mode, workspaceText)
  if (workspaceId === null) return null
  const id = parseExactly(kind, mode, idText)
  return id === null ? null : { workspaceId, id }
}

/** Another spelling of an id would be another subject for the same object, so there is only one. */
function parseExactly<K extends Kind>(kind: K, mode: Mode, text: string): Id<K> | null {
  const id = parseId(kind, mode, text)
  return id === text ? id : null
}
