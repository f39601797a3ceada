/** The grant types of the service: what a client may be registered for. */
export const grantTypes = ['authorization_code', 'refresh_token'] as const;
