import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { PublicRoute } from '../../../platform/http/public-routes.ts'
import type { Destination } from './destination.ts'
import {
  CreateDestination,
  DeletedDestination,
  DestinationObject,
  DestinationPath,
  presentDeletedDestination,
  presentDestination,
  UpdateDestination,
} from './schema/destinations.ts'
import {
  CreateExport,
  ExportDownload,
  ExportObject,
  ExportPath,
  JournalSettingsObject,
  ListExports,
  present,
  presentDownload,
  presentJournalSettings,
  UpdateJournalSettings,
} from './schema.ts'
import {
  checkDestination,
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  updateDestination,
} from './service/destinations.ts'
import { getJournalSettings, updateJournalSettings } from './service/journal.ts'
import {
  cancelExport,
  createDownloadLink,
  createExport,
  getExport,
  listExports,
  openDownload,
} from './service.ts'

const path = '/exports/:export_id'

export const exportOperations = (deps: Deps) => [
  operation({
    id: 'exports.create',
    method: 'POST',
    path: '/exports',
    status: 201,
    summary: 'Create an export',
    description:
      'Writes a file with the objects of a period in the background. Wait for the event `export.completed`, or poll the export until its status is `completed`. At most 5 exports of a workspace can run concurrently.',
    body: CreateExport,
    response: ExportObject,
    errors: ['limit_reached', 'conflict', 'journal_settings_incomplete'],
    present,
    handle: ({ caller, body }) => createExport(deps, caller, body),
  }),
  operation({
    id: 'exports.list',
    method: 'GET',
    path: '/exports',
    summary: 'List exports',
    description:
      'Returns exports, newest first: those that were requested, or the daily exports of a destination.',
    query: PageQuery(ListExports),
    response: PageOf(ExportObject),
    errors: ['invalid_cursor'],
    present: presentPage('/exports', present),
    handle: ({ caller, query }) => listExports(deps, caller, rangeOf('export', caller.mode, query), query),
  }),
  operation({
    id: 'exports.get',
    method: 'GET',
    path,
    summary: 'Get an export',
    description: 'Returns the progress of an export, and its file once it is completed.',
    params: ExportPath,
    response: ExportObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getExport(deps, caller, params.export_id),
  }),
  operation({
    id: 'exports.download',
    method: 'GET',
    path: `${path}/download`,
    summary: 'Get a link to the file of an export',
    description: 'Returns a URL from which the file can be downloaded for 15 minutes, without an API token.',
    params: ExportPath,
    response: ExportDownload,
    errors: ['not_found', 'invalid_state'],
    present: presentDownload,
    handle: ({ caller, params }) => createDownloadLink(deps, caller, params.export_id),
  }),
  operation({
    id: 'exports.cancel',
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Cancel an export',
    description: 'Stops the export and deletes what it has written. Repeated calls return the same result.',
    params: ExportPath,
    response: ExportObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params }) => cancelExport(deps, caller, params.export_id),
  }),
  operation({
    id: 'journal_settings.get',
    method: 'GET',
    path: '/journal-settings',
    summary: 'Get the journal settings',
    description: 'Returns the number and the name of each account of the ledger.',
    response: JournalSettingsObject,
    present: presentJournalSettings,
    handle: ({ caller }) => getJournalSettings(deps, caller),
  }),
  operation({
    id: 'journal_settings.update',
    method: 'PUT',
    path: '/journal-settings',
    summary: 'Update the journal settings',
    description:
      'Changes numbers and names of accounts, and settings of accounting software. Other accounts are unchanged.',
    body: UpdateJournalSettings,
    response: JournalSettingsObject,
    errors: ['conflict'],
    present: presentJournalSettings,
    handle: ({ caller, body }) => updateJournalSettings(deps, caller, body),
  }),
]

const destinationPath = '/export-destinations/:export_destination_id'
const version = (destination: Destination) => destination.version

export const exportDestinationOperations = (deps: Deps) => [
  operation({
    id: 'export_destinations.create',
    method: 'POST',
    path: '/export-destinations',
    status: 201,
    summary: 'Create an export destination',
    description:
      'Exports the changes of each day, from today on, to a bucket of S3-compatible storage: one file per source, and then `manifest.json`. A workspace can have at most 5 destinations.',
    body: CreateDestination,
    response: DestinationObject,
    errors: ['conflict', 'limit_reached', 'url_not_allowed'],
    present: presentDestination,
    version,
    handle: ({ caller, body }) => createDestination(deps, caller, body),
  }),
  operation({
    id: 'export_destinations.list',
    method: 'GET',
    path: '/export-destinations',
    summary: 'List export destinations',
    description: 'Returns export destinations, newest first, without their secrets.',
    query: PageQuery({}),
    response: PageOf(DestinationObject),
    errors: ['invalid_cursor'],
    present: presentPage('/export-destinations', presentDestination),
    handle: ({ caller, query }) =>
      listDestinations(deps, caller, rangeOf('export_destination', caller.mode, query)),
  }),
  operation({
    id: 'export_destinations.get',
    method: 'GET',
    path: destinationPath,
    summary: 'Get an export destination',
    description: 'Returns an export destination, and why the last attempt failed.',
    params: DestinationPath,
    response: DestinationObject,
    errors: ['not_found'],
    present: presentDestination,
    version,
    handle: ({ caller, params }) => getDestination(deps, caller, params.export_destination_id),
  }),
  operation({
    id: 'export_destinations.update',
    method: 'PUT',
    path: destinationPath,
    summary: 'Update an export destination',
    description:
      'Omitted fields are unchanged. A new endpoint URL or access key requires the secret again. Exports that have started keep their path. Failed uploads are retried immediately.',
    params: DestinationPath,
    body: UpdateDestination,
    response: DestinationObject,
    errors: ['not_found', 'conflict', 'version_mismatch', 'url_not_allowed'],
    takesIfMatch: true,
    present: presentDestination,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateDestination(deps, caller, params.export_destination_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'export_destinations.delete',
    method: 'DELETE',
    path: destinationPath,
    summary: 'Delete an export destination',
    description:
      'Deletes the secret, and cancels exports that have not ended. Files in the bucket stay. Repeated calls return the same result.',
    params: DestinationPath,
    response: DeletedDestination,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present: presentDeletedDestination,
    handle: ({ caller, params, ifMatch }) =>
      deleteDestination(deps, caller, params.export_destination_id, ifMatch),
  }),
  operation({
    id: 'export_destinations.check',
    method: 'POST',
    path: `${destinationPath}/check`,
    summary: 'Check an export destination',
    description:
      'Writes `switchyard-check.txt` to the bucket, and returns the destination with the result in `status` and `error`. If it succeeds, failed uploads are retried immediately.',
    params: DestinationPath,
    response: DestinationObject,
    errors: ['not_found', 'conflict'],
    limit: { perMinute: 10 },
    present: presentDestination,
    version,
    handle: ({ caller, params }) => checkDestination(deps, caller, params.export_destination_id),
  }),
]

/** Downloads need no token: the link is signed. */
export const exportPublicRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'GET',
    path: '/downloads/:token',
    handle: async ({ mode, params }) => ({
      kind: 'file',
      ...(await openDownload(deps, mode, params.token ?? '')),
    }),
  },
]
