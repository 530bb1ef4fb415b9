import type {
  AnalyticsOverview,
  BillingSummary,
  Campaign,
  CampaignId,
  ChannelId,
  Contact,
  ContactId,
  Dashboard,
  DncCheck,
  DncEntry,
  ErrorCodeRecord,
  Message,
  MessageId,
  OttMessage,
  Page,
  ScheduledMessage,
  Template,
  TemplateId,
  WebhookId,
  WebhookSubscription,
} from '../../../contract/domain.ts'
import type { CallOptions } from './call.ts'
import type { RateBudgetView } from '../rate-limit/rate-budget.ts'
import type { WebhookWithSecret } from '../wire/webhook.ts'

export type { CallOptions } from './call.ts'

/** A page: `page` from 1 (default 1), `perPage` 1 to 100 (default 20). Spec, Endpoints. */
export interface PageInput {
  page?: number
  perPage?: number
}

/** First and last day, `YYYY-MM-DD`, UTC. The spec doesn't say whether the last day is included. */
export interface SpanInput {
  startDate: string
  endDate: string
}

/** The service's text for calls without a record; null without one. */
export interface ServiceWord {
  message: string | null
}

/**
 * Every endpoint of the spec. Errors of every call: SIGNED_OUT, SESSION_EXPIRED, API_KEY_REFUSED; FORBIDDEN,
 * SERVICE_REJECTED, SERVICE_NOT_FOUND, RATE_LIMITED, SERVICE_FAILED (the service's text in `data.serviceText`);
 * SERVICE_UNREACHABLE, SERVICE_TIMEOUT, SERVICE_TLS, SERVICE_REDIRECTED, PROXY_*; NOT_THE_SERVICE, BAD_ANSWER,
 * ANSWER_TOO_LARGE; INVALID_INPUT; or the signal's reason.
 * A POST other than sign-in rejects with OUTCOME_UNKNOWN when it may have been done; with any other code it was not.
 */
export interface ServiceClient {
  readonly auth: {
    /** Signs in. WRONG_PASSWORD for 401. */
    login(input: { username: string; password: string }, options: CallOptions): Promise<void>
    /**
     * Ends the session at the service (at most 15 s), then forgets the credential in any case. `endedAtService` is
     * false when the session may continue there. SIGN_OUT_INCOMPLETE, with `endedAtService`, when the stored
     * credential couldn't be removed.
     */
    logout(options: CallOptions): Promise<{ endedAtService: boolean }>
  }
  readonly campaigns: {
    list(input: PageInput & { status?: string }, options: CallOptions): Promise<Page<Campaign>>
    get(id: CampaignId | string, options: CallOptions): Promise<Campaign>
    /** The record as returned; its status may not be `paused` yet. After OUTCOME_UNKNOWN, use `get`. */
    pause(id: CampaignId | string, options: CallOptions): Promise<Campaign>
  }
  readonly templates: {
    create(
      input: { name: string; body: string; variables: Record<string, 'string' | 'number'> },
      options: CallOptions,
    ): Promise<Template>
    delete(id: TemplateId | string, options: CallOptions): Promise<ServiceWord>
  }
  readonly ott: {
    send(
      input: {
        channelId: ChannelId | string
        templateId: TemplateId | string
        to: string
        variables: Record<string, string | number>
      },
      options: CallOptions,
    ): Promise<OttMessage>
  }
  readonly messages: {
    get(id: MessageId | string, options: CallOptions): Promise<Message>
    release(id: MessageId | string, options: CallOptions): Promise<ServiceWord>
    /** Without filters: the spec doesn't show any. */
    list(input: PageInput, options: CallOptions): Promise<Page<Message>>
  }
  readonly contacts: {
    /** Omits an empty e-mail, which the service may reject. */
    create(
      input: { name: string; phone: string; email: string; tags: Record<string, string> },
      options: CallOptions,
    ): Promise<Contact>
    delete(id: ContactId | string, options: CallOptions): Promise<ServiceWord>
  }
  readonly scheduled: {
    list(input: PageInput, options: CallOptions): Promise<Page<ScheduledMessage>>
  }
  readonly dnc: {
    list(input: PageInput, options: CallOptions): Promise<Page<DncEntry>>
    /** `clear` only when the parameter name is verified. */
    check(input: { phone: string }, options: CallOptions): Promise<DncCheck>
  }
  readonly analytics: {
    billingSummary(input: SpanInput, options: CallOptions): Promise<BillingSummary>
    overview(input: SpanInput, options: CallOptions): Promise<AnalyticsOverview>
  }
  readonly dashboard: {
    get(options: CallOptions): Promise<Dashboard>
  }
  readonly webhooks: {
    /**
     * The created subscription, or null when the response doesn't contain it (the spec doesn't show its shape).
     * `secret` never appears in logs or errors.
     */
    create(
      input: { url: string; events: string[]; secret?: string },
      options: CallOptions,
    ): Promise<{ subscription: WebhookSubscription | null }>
    /** Secrets are separate from the records, because they must not leave the core. */
    list(input: PageInput, options: CallOptions): Promise<Page<WebhookWithSecret>>
    test(input: { id: WebhookId | string; eventType: string }, options: CallOptions): Promise<ServiceWord>
  }
  readonly errorCodes: {
    search(input: { text: string }, options: CallOptions): Promise<ErrorCodeRecord[]>
  }
  readonly budget: RateBudgetView
  /** Host with port, for messages. */
  readonly host: string
  /** Ends all calls with SIGNED_OUT (a running POST: OUTCOME_UNKNOWN) and rejects later ones. */
  close(): void
}
