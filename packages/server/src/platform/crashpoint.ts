/**
 * Named places at which a test may stop the process dead. They do nothing unless the variable of the
 * same name is set, and they stand in the seams of the platform, so domains need none of their own.
 */
let armed: string | null = null

export type Crashpoint =
  | 'reply.lost'
  | 'unit.committed'
  | 'work.received'
  | 'work.handled'
  | 'due.read'
  | 'due.published'
  | 'post.begun'
  | 'post.answered'
  | 'results.written'
  | 'payment.intended'
  | 'payment.answered'
  | 'payment.recorded'

export function armCrashpoint(name: string | null): void {
  armed = name
}

export function crashpoint(name: Crashpoint): void {
  // SIGKILL, as a power cut would: no handler runs, nothing is flushed.
  if (armed === name) process.kill(process.pid, 'SIGKILL')
}
