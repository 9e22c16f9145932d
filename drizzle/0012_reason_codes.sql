-- The rows are rewritten by src/database/reason-codes.ts, in the same transaction.
SELECT 1;
