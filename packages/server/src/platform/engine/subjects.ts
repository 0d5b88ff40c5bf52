/**
 * Subjects of messages. The subject is the whole content: the work type, the workspace and the object. One
 * message per subject is kept, so an id that is published twice is queued once. Anyone with access to NATS
 * can publish anything, so a subject that does not exactly match our format is rejected.
 */
import { type Id, type Kind, type Mode, parseId, type Ref, slotOf } from '../../kernel/id.ts'
import type { WorkName } from './work.ts'

/** The stream of a shard. Its subjects begin with the prefix. */
export type Stream = { readonly name: string; readonly prefix: string }

/** The stream of an installation with one shard. */
export const onlyStream: Stream = { name: 'WORK', prefix: '' }

/** The stream of one of several shards. */
export const streamOfShard = (shard: string): Stream => ({ name: `WORK_${shard}`, prefix: `shard.${shard}.` })

export const subjectsOf = ({ prefix }: Stream) => [`${prefix}work.>`, `${prefix}timer.>`]

export function workSubject(work: WorkName, ref: Ref, { prefix }: Stream = onlyStream): string {
  return `${prefix}work.${subjectSuffix(work, ref)}`
}

/** A timer has its own subject, so that it never replaces work that is already due. */
export function timerSubject(work: WorkName, ref: Ref, { prefix }: Stream = onlyStream): string {
  return `${prefix}timer.${subjectSuffix(work, ref)}`
}

/** All messages of one work type. */
export function workFilter(work: WorkName, { prefix }: Stream = onlyStream): string {
  return `${prefix}work.${work}.>`
}

/** The object of a message of this work type; null if the subject is not valid. */
export function parseWorkSubject<K extends Kind>(
  work: { readonly name: WorkName; readonly objectKind: K },
  subject: string,
  stream = onlyStream,
): Ref<K> | null {
  const prefix = `${stream.prefix}work.${work.name}.`
  if (!subject.startsWith(prefix)) return null
  const [slot, workspaceText, idText, ...rest] = subject.slice(prefix.length).split('.')
  if (workspaceText === undefined || idText === undefined || rest.length > 0) return null
  const ref =
    parseRef(work.objectKind, 'live', workspaceText, idText) ??
    parseRef(work.objectKind, 'test', workspaceText, idText)
  return ref !== null && slot === String(slotOf(ref.workspaceId)) ? ref : null
}

function subjectSuffix(work: WorkName, ref: Ref): string {
  return `${work}.${slotOf(ref.workspaceId)}.${ref.workspaceId}.${ref.id}`
}

function parseRef<K extends Kind>(kind: K, mode: Mode, workspaceText: string, idText: string): Ref<K> | null {
  const workspaceId = parseExactly('workspace', mode, workspaceText)
  if (workspaceId === null) return null
  const id = parseExactly(kind, mode, idText)
  return id === null ? null : { workspaceId, id }
}

/**
 * Only the canonical form is accepted: another spelling of an id would be another subject for the same
 * object.
 */
function parseExactly<K extends Kind>(kind: K, mode: Mode, text: string): Id<K> | null {
  const id = parseId(kind, mode, text)
  return id === text ? id : null
}
