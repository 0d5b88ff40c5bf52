/** Links between pages of the workspace: `to` is what comes behind it in the address. */
import { Link, useNavigate } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { useHere } from '../api/workspace.tsx'

type Search = { readonly [name: string]: string | undefined }

export type PageLinkProps = {
  /** '/payments/payment_test_…'; '' is home. */
  to: string
  search?: Search
  children: ReactNode
  className?: string
} & Omit<ComponentProps<'a'>, 'href'>

const underlined = 'text-lock underline underline-offset-2 hover:no-underline'

export function PageLink({ to, search, children, className = underlined, ...rest }: PageLinkProps) {
  const { workspace } = useHere()
  return (
    <Link
      to={`/${workspace.id}${to}`}
      search={(search ?? {}) as never}
      className={className}
      {...(rest as object)}
    >
      {children}
    </Link>
  )
}

export function useGo(): (to: string, search?: Search) => void {
  const navigate = useNavigate()
  const { workspace } = useHere()
  return (to, search) => void navigate({ to: `/${workspace.id}${to}`, search: (search ?? {}) as never })
}

export function OutLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={underlined}>
      {children}
    </a>
  )
}
