/**
 * Points in the code at which a test can kill the process. They do nothing unless a test arms them. They are
 * at the boundaries of the platform, and in domains before and after calls to external systems. For each
 * crashpoint, `packages/server/test/README.md` describes the state of the work and the component that resumes
 * it.
 */
let armed: string | null = null
let watcher: ((name: Crashpoint) => void) | null = null

export type Crashpoint =
  | 'reply.lost'
  | 'unit.committed'
  | 'control.committed'
  | 'audit.appended'
  | 'token.changed'
  | 'token.listed'
  | 'organization.registered'
  | 'workspace.created'
  | 'work.received'
  | 'work.handled'
  | 'due.read'
  | 'due.published'
  | 'post.begun'
  | 'post.answered'
  | 'results.written'
  | 'payment.intended'
  | 'payment.customer_created'
  | 'payment.answered'
  | 'payment.recorded'
  | 'dispute.intended'
  | 'dispute.answered'
  | 'dispute.recorded'
  | 'checkout.fulfilled'
  | 'payer.returned'
  | 'payer.answered'
  | 'reconcile.handled'
  | 'resolve.taken'
  | 'resolve.answered'
  | 'resolve.recorded'
  | 'export.file_uploaded'
  | 'settlement.batch_stored'
  | 'settlement.uploaded'
  | 'settlement.step_stored'
  | 'mail.started'
  | 'mail.answered'
  | 'move.step'

export function armCrashpoint(name: string | null): void {
  armed = name
}

/**
 * For harnesses that abort one request instead of the process: `watch` may throw, and the code after the
 * crashpoint does not run.
 */
export function watchCrashpoints(watch: (name: Crashpoint) => void): void {
  watcher = watch
}

/**
 * At the crashpoints of the engine, `work` is the work type: `work.handled:payment.resolve` arms the
 * crashpoint for one type only. At `move.step`, it is the step of the move.
 */
export function crashpoint(name: Crashpoint, work?: string): void {
  watcher?.(name)
  if (armed === null) return
  // SIGKILL, like a power failure: no handler runs and nothing is flushed.
  if (armed === name || armed === `${name}:${work}`) process.kill(process.pid, 'SIGKILL')
}
