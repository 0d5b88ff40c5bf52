/** A link to the page of any object, by its id. */
import type { ReactNode } from 'react'
import { PageLink } from '../ui/link.tsx'
import { Id } from '../ui/values.tsx'
import { objectPath } from './navigation.ts'

export function ObjectLink({ id, children }: { id: string | null; children?: ReactNode }) {
  if (id === null) return <span className="text-ink3">–</span>
  const to = objectPath(id)
  const text = children ?? <Id id={id} />
  return to === null ? text : <PageLink to={to}>{text}</PageLink>
}
