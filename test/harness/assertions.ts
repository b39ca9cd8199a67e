import { config } from 'chai';

/**
 * Characters of a value in a failure's message. A failure that is seen once must say what it knows, but all of a broker's
 * registry is 90 MB.
 */
config.truncateThreshold = 1_000;
