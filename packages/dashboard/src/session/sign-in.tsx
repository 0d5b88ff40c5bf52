/** Signing in: with a password and, where set up, a code; with a passkey; or by a link that works once. */
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import { type Attempt, AttemptError, useAttempt } from './attempt.tsx'
import { DoorError, knock, type Session } from './doors.ts'
import { OutsideFrame } from './frame.tsx'
import { signInByPasskey } from './passkeys.ts'

export function SignIn() {
  const { attempt, isBusy, error } = useAttempt()
  useLink(attempt)
  return (
    <OutsideFrame title="Sign in">
      <PasswordForm isBusy={isBusy} attempt={attempt} />
      <Button onClick={() => void attempt(signInByPasskey)} isBusy={isBusy}>
        Use a passkey
      </Button>
      <AttemptError text={error} />
      <p className="text-compact text-ink2">
        No account yet? An admin of your organization can invite you. Whoever runs this server can print a
        link for the first one with <code className="font-mono">npm run setup</code>.
      </p>
    </OutsideFrame>
  )
}

function PasswordForm({ isBusy, attempt }: { isBusy: boolean; attempt: Attempt }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [wantsCode, setWantsCode] = useState(false)
  const signIn = async () => {
    const body = { email, password, ...(code === '' ? {} : { code: code.replaceAll(' ', '') }) }
    try {
      return await knock<Session>('POST', '/session', body)
    } catch (error) {
      if (error instanceof DoorError && error.code === 'second_factor_required') setWantsCode(true)
      throw error
    }
  }
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(signIn)
      }}
    >
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        autoFocus
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      {wantsCode && (
        <TextField
          label="Code"
          hint="Six digits from your authenticator, or a recovery code."
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          autoFocus
        />
      )}
      <Button type="submit" look="primary" isBusy={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  )
}

/** The secret of a link stands behind #, so that no server and no log ever sees it. It is used at once. */
function useLink(attempt: Attempt): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is opened.
  useEffect(() => {
    const secret = /^#link=(.+)$/.exec(location.hash)?.[1]
    if (secret === undefined) return
    history.replaceState(null, '', location.pathname)
    void attempt(() => knock<Session>('POST', '/session/link', { secret }))
  }, [])
}
