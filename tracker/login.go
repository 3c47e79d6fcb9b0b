package tracker

// Login has a client's credentials for a tracking server. The zero Login has none.
type Login struct {
	Token          string // sent as a bearer token; takes precedence over User and Password
	User, Password string
}

// BucketLogin has the address of the storage of artifacts and the user's credentials. Empty fields are read from the
// environment, as by other S3 programs.
type BucketLogin struct {
	Endpoint string // https://host:port; "": MLFLOW_S3_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, else AWS
	Region   string // "": AWS_REGION, AWS_DEFAULT_REGION, else the storage is asked
	// Key and Secret are the credentials; "": AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws/credentials, or those
	// that the machine has in the cloud
	Key, Secret string
	Part        uint64 // bytes of a large file that travel in one request; 0: 64 MiB
}
