/**
 * Named places at which a test may stop the process dead. They do nothing unless the variable of the
 * same name is set. They stand in the seams of the platform, and in domains where a stranger is asked:
 * ARCHITECTURE.md says of each what has happened by then, and who goes on.
 */
let armed: string | null = null
let watcher: ((name: Crashpoint) => void) | null = null

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
  | 'payer.returned'
  | 'payer.answered'
  | 'resolve.taken'
  | 'resolve.answered'
  | 'resolve.recorded'

export function armCrashpoint(name: string | null): void {
  armed = name
}

/** For a harness that lets one request die and not the process: it may throw, and nothing after the place runs. */
export function watchCrashpoints(watch: (name: Crashpoint) => void): void {
  watcher = watch
}

export function crashpoint(name: Crashpoint): void {
  watcher?.(name)
  // SIGKILL, as a power cut would: no handler runs, nothing is flushed.
  if (armed === name) process.kill(process.pid, 'SIGKILL')
}
