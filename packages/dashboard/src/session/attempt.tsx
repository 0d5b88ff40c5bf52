/** Trying to get in: once at a time, with what went wrong beside it. */
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { DoorError, type Session } from './doors.ts'

export type Attempt = (body: () => Promise<Session>) => Promise<void>

export function useAttempt(): {
  readonly attempt: Attempt
  readonly isBusy: boolean
  readonly error: string | null
} {
  const enter = useEnter()
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const attempt: Attempt = async (body) => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await body()
      enter()
    } catch (cause) {
      setError(textOf(cause))
    } finally {
      setBusy(false)
    }
  }
  return { attempt, isBusy, error }
}

export function AttemptError({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p role="alert" className="rounded-control bg-danger-soft p-3 text-danger">
      {text}
    </p>
  )
}

/** By a new page, so that nothing of whoever was here before is left in memory. */
function useEnter(): () => void {
  const { to }: { to?: string } = useSearch({ strict: false })
  // Only within this page: an address of somebody else's would be a trap.
  return () => location.assign(to !== undefined && /^\/[^/\\]/.test(to) ? to : '/')
}

function textOf(error: unknown): string {
  if (!(error instanceof DoorError)) return 'The server cannot be reached. Try again.'
  if (error.code === 'second_factor_required') return 'Enter the code of your authenticator as well.'
  return error.message
}
