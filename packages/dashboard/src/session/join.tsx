/** Accepts an invitation. Its secret is in the fragment of the link (after #) and works once. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import { Loaded } from '../ui/states.tsx'
import { AttemptError, useAttempt } from './attempt.tsx'
import { OutsideFrame } from './frame.tsx'
import { fetchSession, type Role, type Session } from './session-api.ts'

type Invitation = {
  readonly email: string
  readonly organization: string
  readonly role: Role
  readonly expires_at: string
}

export function Join() {
  const [secret] = useState(readSecret)
  const invitation = useQuery({
    queryKey: ['invitation', secret],
    queryFn: () => fetchSession<Invitation>('POST', '/invitations/look', { secret }),
    // Fetch once: a refetch would replace the form while the user is typing.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <OutsideFrame title="Join your team">
      <Loaded query={invitation}>{(data) => <Form invitation={data} secret={secret} />}</Loaded>
    </OutsideFrame>
  )
}

/** The secret is kept in memory only: it is removed from the URL and the browser history. */
function readSecret(): string {
  const secret = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  return secret
}

function Form({ invitation, secret }: { invitation: Invitation; secret: string }) {
  const { attempt, isBusy, error } = useAttempt()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const join = () => fetchSession<Session>('POST', '/invitations/accept', { secret, name, password })
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(join)
      }}
    >
      <p>
        {invitation.organization} invites <strong>{invitation.email}</strong> as {invitation.role}.
      </p>
      <TextField label="Your name" autoComplete="name" value={name} onChange={setName} autoFocus />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters."
        value={password}
        onChange={setPassword}
      />
      <AttemptError text={error} />
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {isBusy ? 'Joining…' : 'Join team'}
      </Button>
    </form>
  )
}
